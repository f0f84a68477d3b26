// What a form holds under a name, as text. A file, which none of the dashboard's forms has, counts as nothing.

export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
