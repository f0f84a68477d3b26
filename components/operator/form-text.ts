// Reads a field of a form as text. Pure.

/** What was typed; empty for a field that is missing or a file. */
export function typedIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
