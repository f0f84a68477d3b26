// An address shortened to what people know their own by.

const SHORT = { start: 8, end: 6 };

export const shortAddress = (text: string): string => `${text.slice(0, SHORT.start)}…${text.slice(-SHORT.end)}`;
