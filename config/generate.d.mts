export function generatedPackaging(crds: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
