// Fills the documentation's texts with facts of this installation: its address and the SDK that it offers.

import type { Section } from './docs-text';

/** `origin`: without a slash at its end. */
export type Facts = { readonly origin: string; readonly sdk_version: string; readonly sdk_integrity: string };

const PLACE = /\{(origin|sdk_version|sdk_integrity)\}/g;

/** A text with its `{origin}`, `{sdk_version}` and `{sdk_integrity}` filled in. Other braces stay. */
export const fill = (text: string, facts: Facts): string =>
  text.replaceAll(PLACE, (_, name: keyof Facts) => facts[name]);

/** The paragraphs and the code of a section, filled in. */
export function fillSection(section: Section, facts: Facts): Section {
  const { text, code } = section;
  return {
    ...section,
    text: text.map((paragraph) => fill(paragraph, facts)),
    ...(code === undefined ? {} : { code: fill(code, facts) }),
  };
}
