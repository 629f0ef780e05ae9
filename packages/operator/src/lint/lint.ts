/**
 * Checks manifests without a cluster.
 *
 * In: texts of files. Out: findings, in the order of files and lines. It reads with the operator's own functions, so it
 * accepts exactly what the operator accepts. It never throws because of a file's content.
 */
import type { ConfigFacts } from '../reloader/model/config.ts';
import { checkAnnotations } from './annotations.ts';
import { checkContents } from './contents.ts';
import { Corpus } from './corpus.ts';
import { type Manifest, readManifests } from './documents.ts';
import type { Finding, Report } from './finding.ts';
import { checkPodConfig } from './pod-config.ts';
import { checkSource, checkWorkload } from './relations.ts';
import { checkReloaderConfig } from './reloader-config.ts';
import { checkWindows } from './windows.ts';

export interface LintResult {
  readonly findings: readonly Finding[];
  /** The number of objects that were checked. */
  readonly objects: number;
}

export function lint(files: readonly { readonly file: string; readonly text: string }[]): LintResult {
  const read = files.map(({ file, text }) => readManifests(file, text));
  const findings = read.flatMap((each) => each.findings);
  const corpus = new Corpus(read.flatMap(({ manifests }) => manifests));
  const reporter =
    (manifest: Manifest): Report =>
    (field, rule, message, path = []) => {
      const { file, kind, namespace, name } = manifest;
      const object = `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
      findings.push({ file, line: manifest.line(path), object, field, rule, message });
    };
  const configs: ConfigFacts[] = [];
  for (const manifest of corpus.manifests) {
    checkAnnotations(manifest, corpus, reporter(manifest));
    if (manifest.kind === 'ReloaderConfig')
      configs.push(...checkReloaderConfig(manifest, corpus, reporter(manifest)));
    if (manifest.kind === 'PodConfigMapConfig') checkPodConfig(manifest, reporter(manifest));
  }
  for (const workload of corpus.workloads) {
    checkWorkload(workload, corpus, reporter(workload.manifest));
    checkWindows(workload, configs, corpus, reporter(workload.manifest));
  }
  for (const source of corpus.sources) {
    checkSource(source, corpus, reporter(source.manifest));
    checkContents(source, configs, reporter(source.manifest));
  }
  const order = new Map(files.map(({ file }, index) => [file, index]));
  const sorted = findings.sort(
    (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line,
  );
  return { findings: sorted, objects: corpus.manifests.length };
}
