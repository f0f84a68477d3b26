// Names of pages, menu items and buttons in the documentation's texts. `{ui.key}` is the dashboard's text of that key
// and `{pay.key}` the payment page's. A rename thus changes the documentation too.

import type { DocsLocale } from '@/lib/i18n/docs';
import dashboardEn from '@/messages/dashboard/en.json';
import dashboardEs from '@/messages/dashboard/es.json';
import dashboardRu from '@/messages/dashboard/ru.json';
import dashboardZh from '@/messages/dashboard/zh.json';
import dashboardZhHant from '@/messages/dashboard/zh-Hant.json';
import en from '@/messages/en.json';
import es from '@/messages/es.json';
import ru from '@/messages/ru.json';
import zh from '@/messages/zh.json';
import zhHant from '@/messages/zh-Hant.json';

type Catalogue = Readonly<Record<string, unknown>>;
const CATALOGUES: Readonly<Record<DocsLocale, Readonly<Record<string, Catalogue>>>> = {
  en: { ui: dashboardEn, pay: en },
  es: { ui: dashboardEs, pay: es },
  ru: { ui: dashboardRu, pay: ru },
  zh: { ui: dashboardZh, pay: zh },
  'zh-Hant': { ui: dashboardZhHant, pay: zhHant },
};
const NAME = /\{(ui|pay)\.(\w+)\}/g;

/** Throws for a name that the product does not have. Other braces stay. */
export const withProductNames = (text: string, locale: DocsLocale = 'en'): string =>
  text.replaceAll(NAME, (_, catalogue: string, key: string) => {
    const name = CATALOGUES[locale][catalogue]?.[key];
    if (typeof name !== 'string') throw new Error(`The documentation names ${catalogue}.${key}, which does not exist.`);
    // A button may contain an amount, which the documentation cannot know.
    return name.replaceAll(/\s*\{\w+\}/g, '');
  });
