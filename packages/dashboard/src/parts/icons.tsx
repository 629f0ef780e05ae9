/** Small icons, always beside a text, so that no meaning depends on colour or shape alone. */
const PATHS = {
  failing: 'M8 1.8 15 14H1L8 1.8ZM8 6v3.6M8 11.7v.1',
  waiting: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.8V8l2.2 1.6',
  rolling: 'M13.6 6.6A5.8 5.8 0 0 0 3 5.3M2.4 9.4A5.8 5.8 0 0 0 13 10.7M3 2v3.4h3.4M13 14v-3.4H9.6',
  troubled: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 5v3.6M8 10.9v.1',
  current: 'M2.6 8.6 6.2 12l7.2-8',
  frozen: 'M8 1.5v13M2.4 4.8l11.2 6.4M13.6 4.8 2.4 11.2M6 2.4l2 1.8 2-1.8M6 13.6l2-1.8 2 1.8',
  source:
    'M3 4.2C3 2.9 5.2 2 8 2s5 .9 5 2.2v7.6C13 13.1 10.8 14 8 14s-5-.9-5-2.2V4.2ZM3 4.4c0 1.2 2.2 2.1 5 2.1s5-.9 5-2.1M3 8c0 1.2 2.2 2.1 5 2.1s5-.9 5-2.1',
  copy: 'M5.5 5.5V3.2c0-.7.5-1.2 1.2-1.2h6.1c.7 0 1.2.5 1.2 1.2v6.1c0 .7-.5 1.2-1.2 1.2h-2.3M3.2 5.5h6.1c.7 0 1.2.5 1.2 1.2v6.1c0 .7-.5 1.2-1.2 1.2H3.2c-.7 0-1.2-.5-1.2-1.2V6.7c0-.7.5-1.2 1.2-1.2Z',
  search: 'M7 2.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6ZM10.6 10.6l3.4 3.4',
  arrow: 'M3 8h9.6M9 4.2 12.8 8 9 11.8',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
