type Counts = Readonly<
  Record<'lines' | 'branches' | 'functions', { readonly covered: number; readonly total: number }>
>;
export function byPackage(
  files: Readonly<Record<string, Counts>>,
  folder: string,
): ReadonlyMap<string, Counts>;
export function summaryText(sums: ReadonlyMap<string, Counts>): string;
