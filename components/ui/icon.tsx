// The dashboard's icons, drawn as lines in the colour of the surrounding text. They are decoration: a caller that uses
// one alone names its control.

const PATHS = {
  home: 'M3 10.5 12 3l9 7.5M5 9v11h14V9M10 20v-6h4v6',
  payments: 'M3 6h18v12H3zM3 10h18M7 15h4',
  refunds: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  balances: 'M4 20h16M6 20V10M12 20V4M18 20v-7',
  events: 'M13 2 4 14h7l-1 8 9-12h-7z',
  keys: 'M20 8.5a4.5 4.5 0 1 1-9 0a4.5 4.5 0 0 1 9 0M12.3 11.7 4 20M7 17l2.5 2.5M10 14l2 2',
  webhooks: 'M9 8a3 3 0 1 1 4.5 2.6L17 17M13 17H7a3 3 0 1 1-1-5M10.5 10.5 7 17M17 17a3 3 0 1 0 1-3',
  members: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M2 21a7 7 0 0 1 14 0M16 3.5a4 4 0 0 1 0 7M22 21a7 7 0 0 0-4-6.3',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  branding:
    'M12 3a9 9 0 1 0 0 18c1.4 0 2-.9 2-2 0-1.6.9-2.5 2.5-2.5H18a3 3 0 0 0 3-3C21 7.4 17 3 12 3M8 10h.01M12 7.5h.01M16 10h.01M7.5 14h.01',
  stores: 'M4 10v10h16V10M2 7l2-4h16l2 4a3 3 0 0 1-5 2 3 3 0 0 1-5 0 3 3 0 0 1-5 0 3 3 0 0 1-5-2M10 20v-5h4v5',
  health: 'M3 12h4l3-8 4 16 3-8h4',
  wallet: 'M4 6h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a1 1 0 0 1-1-1V5a2 2 0 0 1 2-2h11M16 13h.01',
  alarm: 'M6 9a6 6 0 0 1 12 0c0 6 2 7 2 7H4s2-1 2-7M10 20a2 2 0 0 0 4 0',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7',
  jobs: 'M12 7v5l3 2M21 12a9 9 0 1 1-9-9 9 9 0 0 1 9 9',
  user: 'M12 12a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M4 21a8 8 0 0 1 16 0',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M20 20l-4-4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5 10 17 19 7',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  left: 'M15 6l-6 6 6 6',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  print: 'M7 9V3h10v6M7 18H4V9h16v9h-3M7 14h10v7H7z',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  eyeOff:
    'M4 4l16 16M9.9 5.2A10 10 0 0 1 12 5c6 0 10 7 10 7a18 18 0 0 1-3 3.8M6.3 7.3A17 17 0 0 0 2 12s4 7 10 7a10 10 0 0 0 4.6-1.1',
  warn: 'M12 3 2 20h20zM12 10v4M12 17h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v5M12 8h.01',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  trash: 'M4 7h16M10 11v6M14 11v6M6 7l1 14h10l1-14M9 7V3h6v4',
  shield: 'M12 3 4 6v6c0 5 3.5 8 8 9 4.5-1 8-4 8-9V6z',
  device: 'M3 5h18v11H3zM9 20h6M12 16v4',
  phone: 'M7 2h10v20H7zM11 18h2',
  signOut: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  filter: 'M3 5h18l-7 8v6l-4 2v-8z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  retry: 'M20 11a8 8 0 1 0-2 6M20 4v7h-7',
  lock: 'M6 11h12v10H6zM8 11V7a4 4 0 0 1 8 0v4',
  link: 'M10 14a4.5 4.5 0 0 0 6.4 0l3.2-3.2a4.5 4.5 0 0 0-6.4-6.4L12 5.6M14 10a4.5 4.5 0 0 0-6.4 0l-3.2 3.2a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2',
  till: 'M6 3h12v5H6zM4 21l2-9h12l2 9zM10 15h.01M14 15h.01M10 18h4',
  code: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2',
  sound: 'M4 9v6h4l5 4V5L8 9zM16.5 8.5a5 5 0 0 1 0 7M19 6a8.5 8.5 0 0 1 0 12',
  soundOff: 'M4 9v6h4l5 4V5L8 9zM16 9.5l5 5M21 9.5l-5 5',
  erase: 'M9 5h11v14H9l-6-7zM12 9.5l5 5M17 9.5l-5 5',
  mail: 'M3 6h18v13H3zM3 7l9 7 9-7',
} as const;

export type IconName = keyof typeof PATHS;

/** `size` in pixels. */
export function Icon({ name, size = 16, className = '' }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`flex-none ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
