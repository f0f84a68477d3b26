// Formats a countdown, for the server and the page.

const two = (count: number): string => String(count).padStart(2, '0');

/** Minutes and seconds. */
export const clockText = (seconds: number): string => `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
