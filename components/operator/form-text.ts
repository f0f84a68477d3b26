// Reads a field of a form as text. Pure.

/** The typed text; empty for a missing field or a file. */
export function typedIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
