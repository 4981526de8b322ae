const PATHS = {
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.2 3L13 4.5',
  chevron: 'M4 6l4 4 4-4',
  back: 'M9.5 3.5L5 8l4.5 4.5',
  filter: 'M2 3.5h12M4.5 8h7M6.5 12.5h3',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6L14 14',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  clip: 'M13 7l-5.5 5.5a3.2 3.2 0 0 1-4.5-4.5L8.7 2.3a2.1 2.1 0 0 1 3 3L6 11a1 1 0 0 1-1.5-1.5L9.7 4.3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  user: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.6-2.8 2.8-4.2 5.5-4.2s4.9 1.4 5.5 4.2',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  link: 'M6.5 9.5l3-3M7 4.8l1.6-1.6a3 3 0 0 1 4.2 4.2L11.2 9M9 11.2l-1.6 1.6a3 3 0 0 1-4.2-4.2L4.8 7',
  home: 'M2.5 7.5L8 2.8l5.5 4.7V13h-11z',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.7h11M6.5 6.5V13',
  star: 'M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z',
  group: 'M2.5 3.5h11M5 7h8.5M5 10h8.5M2.5 13.5h11',
  download: 'M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13.2h10',
  edit: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
  trash: 'M3 4.2h10M6.2 4V2.6h3.6V4M4.4 4.4l.6 9h6l.6-9',
  grip: 'M6 3.5h.01M10 3.5h.01M6 8h.01M10 8h.01M6 12.5h.01M10 12.5h.01',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.4',
  lock: 'M4 7.2h8V13H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
} as const

export type IconName = keyof typeof PATHS

/** Decoration only: the control around it has the label. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
