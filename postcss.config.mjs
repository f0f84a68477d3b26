// Tailwind is for the dashboard's stylesheet alone: a file without its directives passes through as it is, so the payment
// page's and the documentation's styles do not grow.

const config = { plugins: { '@tailwindcss/postcss': {} } };

export default config;
