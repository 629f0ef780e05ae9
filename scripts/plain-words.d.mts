export function plainWords(root: string): string[];
export function findings(file: string, text: string): string[];
