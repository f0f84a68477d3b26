// The package has no types of its own.

declare module 'fxa-common-password-list' {
  /** `test`: whether the list has this password. All entries are in lower case and have 8 characters or more. */
  const list: { readonly test: (password: string) => boolean };
  export default list;
}
