// An address shortened to the part by which people recognize their own.

const SHORT = { start: 8, end: 6 };

export const shortAddress = (text: string): string => `${text.slice(0, SHORT.start)}…${text.slice(-SHORT.end)}`;
