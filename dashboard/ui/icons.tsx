// Decorative line icons in the text colour. The text next to an icon carries its meaning.
import type { JSX } from 'preact'

const paths = {
  start: 'M3 11 12 4l9 7M5.5 9.5V20h13V9.5M10 20v-6h4v6',
  keys: 'M15 14a5 5 0 1 0-4.6-3L4 17.4V20h3v-2h2v-2h2l1.6-1.6c.7.4 1.5.6 2.4-.4zM16.5 7.5h.01',
  usage: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  card: 'M3 6.5h18v11H3zM3 10h18M6.5 14.5h4',
  inspector: 'M4 6h10M4 12h7M4 18h5M16.5 12a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM19 18l2.5 2.5',
  proof: 'M12 3l8 3v6c0 4.5-3.4 7.8-8 9-4.6-1.2-8-4.5-8-9V6zM8.5 12l2.5 2.5 4.5-5',
  slots: 'M4 5h16v4H4zM4 10.5h16v4H4zM4 16h16v4H4zM7 7h.01M7 12.5h.01M7 18h.01',
  files: 'M4 5h6l2 2.5h8V19H4z',
  members:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 19.5c.6-3.4 3-5 6.5-5s5.9 1.6 6.5 5M16 11a3 3 0 1 0-1-5.8M18 14.8c2 .7 3.2 2.2 3.6 4.7',
  accounts: 'M4 20.5V8l8-4.5L20 8v12.5zM9.5 20.5V15h5v5.5M8.5 11h.01M12 11h.01M15.5 11h.01',
  people: 'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-4 3.5-5.8 7.5-5.8s6.7 1.8 7.5 5.8',
  audit: 'M6 3.5h9l4 4v13H6zM14.5 3.5V8H19M9 12h7M9 15.5h7',
  networks:
    'M12 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM5 21.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM19 21.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM12 7.5V13M12 13l-5.5 4M12 13l5.5 4',
  network:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 2.7 4 5.7 4 9s-1 6.3-4 9c-3-2.7-4-5.7-4-9s1-6.3 4-9z',
  profile:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 12.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6.3 18.5c1-2.3 3-3.3 5.7-3.3s4.7 1 5.7 3.3',
  docs: 'M5 4.5h10a4 4 0 0 1 4 4v11H8a3 3 0 0 1-3-3zM5 16.5a3 3 0 0 1 3-3h11',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5 10 17.5 19.5 7',
  cross: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M5 19l1.7-1.7M17.3 6.7 19 5',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a6.7 6.7 0 0 0 10.5 10.5z',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 16v4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  settings:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  updown: 'M8 9.5 12 5.5l4 4M8 14.5l4 4 4-4',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.2h.01',
  upload: 'M12 16V4M7.5 8 12 4l4.5 4M4 15v5h16v-5',
  download: 'M12 4v12M7.5 12l4.5 4 4.5-4M4 15v5h16v-5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.4-3.4a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.4 3.4a4 4 0 0 0 5.7 5.7l1.4-1.4',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  trash: 'M4 7h16M9.5 7V4h5v3M6.5 7l1 13h9l1-13',
  pin: 'M9 3.5h6M10 3.5v6L6.5 14h11L14 9.5v-6M12 14v6.5',
  file: 'M6 3.5h8l4 4v13H6zM13.5 3.5V8H18',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9h.01',
  video: 'M3.5 6.5h12v11h-12zM15.5 11l5-3v8l-5-3',
  out: 'M14 4h5v16h-5M15 12H4M8 8l-4 4 4 4',
} as const satisfies Record<string, string>

export type IconName = keyof typeof paths

export function Icon({
  name,
  size = 18,
}: {
  readonly name: IconName
  readonly size?: number
}): JSX.Element {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}

/** Cairn's logo: a stack of stones. */
export function Logo({ size = 26 }: { readonly size?: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="var(--accent)" aria-hidden="true">
      <ellipse cx="16" cy="25.5" rx="12" ry="4.5" />
      <ellipse cx="16" cy="17" rx="8.5" ry="3.6" opacity="0.85" />
      <ellipse cx="16" cy="10" rx="5.2" ry="2.8" opacity="0.7" />
      <ellipse cx="16" cy="4.7" rx="2.6" ry="1.8" opacity="0.55" />
    </svg>
  )
}
