/** Copies everything that the image holds of us into a directory. */
export function assemble(destination: string): void;
