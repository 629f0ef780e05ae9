export function installManifest(kustomized: string): string;
