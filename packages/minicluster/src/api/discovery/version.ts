/** The version of Kubernetes whose behaviour this server follows. */
const MINOR = 36;

export const VERSION = {
  major: '1',
  minor: String(MINOR),
  emulationMajor: '1',
  emulationMinor: String(MINOR),
  minCompatibilityMajor: '1',
  minCompatibilityMinor: String(MINOR - 1),
  gitVersion: `v1.${MINOR}.3+minicluster`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
