/** Copies all our files of the image into a directory. */
export function assemble(destination: string): void;
