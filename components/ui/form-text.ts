// A form's field as text; a missing field or a file counts as empty.

export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
