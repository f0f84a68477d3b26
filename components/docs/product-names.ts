// Names of pages, menu items and buttons in the documentation's texts: `{ui.key}` is the dashboard's text of that key and
// `{pay.key}` the payment page's, so that a rename changes the documentation with it.

import dashboard from '@/messages/dashboard/en.json';
import payment from '@/messages/en.json';

const CATALOGUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { ui: dashboard, pay: payment };
const NAME = /\{(ui|pay)\.(\w+)\}/g;

/** Throws for a name that the product does not have. Other braces stay. */
export const withProductNames = (text: string): string =>
  text.replaceAll(NAME, (_, catalogue: string, key: string) => {
    const name = CATALOGUES[catalogue]?.[key];
    if (typeof name !== 'string') throw new Error(`The documentation names ${catalogue}.${key}, which does not exist.`);
    // A button may show an amount, which no text can know.
    return name.replaceAll(/\s*\{\w+\}/g, '');
  });
