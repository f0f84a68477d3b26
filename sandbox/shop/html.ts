// HTML from template literals in which every value is escaped unless it is HTML already.

export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Value = string | Html | null | readonly (string | Html)[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Lists are concatenated, null is empty. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, n) => part + markupOf(values[n] ?? null)).join(''));
}

function markupOf(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value !== 'string') return value.map(markupOf).join('');
  return value.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
