// What a form holds under a name, as text. A file counts as nothing.

export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
