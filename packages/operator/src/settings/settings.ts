/** Everything that flags and environment say, checked. One immutable object for the life of the process. */
import type { LogLevel, LogValues } from '@reloader/runtime';
import type { AlertEvent, TeamsFormat } from '../reloader/model/config.ts';
import type { Hidden } from '../reloader/model/hidden.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';

export interface Settings {
  readonly reloader: ReloaderSettings;
  /** What runs in this process. */
  readonly controllers: ReadonlySet<ControllerName>;
  /** Undefined: found as by any Kubernetes client. */
  readonly kubeconfig: string | undefined;
  readonly log: LogSettings;
  /** `/live`, `/healthz`, `/readyz` and `/metrics` for everybody, `/api/v1` for loopback. */
  readonly httpAddress: string;
  /** A further address for the probes alone. */
  readonly probeAddress: string | undefined;
  /** A further address for the metrics alone. */
  readonly metricsServer: MetricsServerSettings | undefined;
  readonly api: ApiSettings;
  /** Profiles, where asked for; of loopback. */
  readonly pprofAddress: string | undefined;
  /** The webhook for custom resources, where asked for. */
  readonly admission: AdmissionSettings | undefined;
  /** Undefined: no election, this process always acts. */
  readonly election: ElectionSettings | undefined;
  /** Adds `reloader_reload_executed_total_by_namespace`. */
  readonly metricsByNamespace: boolean;
  readonly alerts: AlertSettings;
  /** A file, or `-` for standard output. */
  readonly auditLog: string | undefined;
  /** What the user should read in the log, once, at the start. */
  readonly notices: readonly Notice[];
}

export const CONTROLLER_NAMES = ['reloader', 'podconfig'] as const;
export type ControllerName = (typeof CONTROLLER_NAMES)[number];

export interface LogSettings {
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
}

export interface MetricsServerSettings extends SecureServerSettings {
  /** Over TLS, and only for those whom the API server lets in. */
  readonly secure: boolean;
}

export interface ApiSettings {
  /** An address for those who show a token; undefined: loopback only. */
  readonly server: SecureServerSettings | undefined;
  /** Likewise for the page, with the API that it reads; undefined: loopback only. */
  readonly ui: SecureServerSettings | undefined;
  /** Names in `Host` that are answered on loopback, beside those of loopback; in small letters. */
  readonly allowedHosts: readonly string[];
}

export interface SecureServerSettings {
  readonly address: string;
  readonly http2: boolean;
  /** Undefined: a certificate of our own making. */
  readonly certificate: CertificateFiles | undefined;
}

export interface CertificateFiles {
  readonly directory: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface AdmissionSettings {
  readonly address: string;
  /** Of the Service, the ValidatingWebhookConfiguration and the Secret. */
  readonly name: string;
}

export interface ElectionSettings {
  readonly lease: { readonly namespace: string; readonly name: string };
  /** For the identity; undefined where the process is no pod. */
  readonly podName: string | undefined;
}

/** What holds for all alerts, those of ReloaderConfigs included. */
export interface AlertSettings {
  /** Where everything is told, whoever asked for the reload. */
  readonly global: GlobalAlertSettings | undefined;
  /** `unusable`: one was meant, and nothing may go around it. */
  readonly proxy: Hidden | 'unusable' | undefined;
  readonly additionalInfo: string | undefined;
  /** In small letters: `hooks.slack.com`, `*.example.com`. Empty: any. */
  readonly allowedHosts: readonly string[];
  /** Receivers at loopback, link-local and metadata addresses are allowed. */
  readonly allowInternal: boolean;
  /** What is told within so long is one message; 0: each by itself. */
  readonly groupWindowMs: number;
}

export interface GlobalAlertSettings {
  /** Texts and bodies of Stakater Reloader, or our own. */
  readonly words: 'stakater' | 'cards';
  readonly sink: 'slack' | 'teams' | 'gchat' | 'webhook' | 'raw';
  readonly url: Hidden;
  readonly events: readonly AlertEvent[];
  readonly template: string | undefined;
  /** Of Teams; undefined: the URL tells. */
  readonly format: TeamsFormat | undefined;
  readonly grouped: boolean;
}

export interface Notice {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly values?: LogValues;
}
