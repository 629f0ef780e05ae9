/** All settings of flags and environment, validated. One immutable object for the life of the process. */
import type { LogLevel, LogValues } from '@reloader/runtime';
import type { AlertEvent, TeamsFormat } from '../reloader/model/config.ts';
import type { Hidden } from '../reloader/model/hidden.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';

export interface Settings {
  readonly reloader: ReloaderSettings;
  /** The controllers that run in this process. */
  readonly controllers: ReadonlySet<ControllerName>;
  /** Undefined: found as every Kubernetes client finds it. */
  readonly kubeconfig: string | undefined;
  readonly log: LogSettings;
  /** `/live`, `/healthz`, `/readyz` and `/metrics` without authentication, `/api/v1` for loopback. */
  readonly httpAddress: string;
  /** A further address only for the probes. */
  readonly probeAddress: string | undefined;
  /** A further address only for the metrics. */
  readonly metricsServer: MetricsServerSettings | undefined;
  readonly api: ApiSettings;
  /** The address of profiles, on loopback; undefined if it is off. */
  readonly pprofAddress: string | undefined;
  /** The webhook for custom resources; undefined if it is off. */
  readonly admission: AdmissionSettings | undefined;
  /** Undefined: no election, this process always acts. */
  readonly election: ElectionSettings | undefined;
  /** Adds `reloader_reload_executed_total_by_namespace`. */
  readonly metricsByNamespace: boolean;
  readonly alerts: AlertSettings;
  /** A file, or `-` for standard output. */
  readonly auditLog: string | undefined;
  /** Messages for the user, logged once at the start. */
  readonly notices: readonly Notice[];
}

export const CONTROLLER_NAMES = ['reloader', 'podconfig'] as const;
export type ControllerName = (typeof CONTROLLER_NAMES)[number];

export interface LogSettings {
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
}

export interface MetricsServerSettings extends SecureServerSettings {
  /** Over TLS, and only for callers that the API server authorizes. */
  readonly secure: boolean;
}

export interface ApiSettings {
  /** An address for callers with a token; undefined: loopback only. */
  readonly server: SecureServerSettings | undefined;
  /** Likewise for the page, with the API that it reads; undefined: loopback only. */
  readonly ui: SecureServerSettings | undefined;
  /** Names in `Host` that are accepted on loopback, besides those of loopback; in lower case. */
  readonly allowedHosts: readonly string[];
}

export interface SecureServerSettings {
  readonly address: string;
  readonly http2: boolean;
  /** Undefined: the operator creates its own certificate. */
  readonly certificate: CertificateFiles | undefined;
}

export interface CertificateFiles {
  readonly directory: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface AdmissionSettings {
  readonly address: string;
  /** The name of the Service, the ValidatingWebhookConfiguration and the Secret. */
  readonly name: string;
}

export interface ElectionSettings {
  readonly lease: { readonly namespace: string; readonly name: string };
  /** For the identity; undefined if the process does not run in a pod. */
  readonly podName: string | undefined;
}

/** Settings of all alerts, including those of ReloaderConfigs. */
export interface AlertSettings {
  /** The receiver of all alerts, independent of the rule that caused the reload. */
  readonly global: GlobalAlertSettings | undefined;
  /** `unusable`: a proxy is configured but invalid, and alerts must not bypass it. */
  readonly proxy: Hidden | 'unusable' | undefined;
  readonly additionalInfo: string | undefined;
  /** In lower case: `hooks.slack.com`, `*.example.com`. Empty: any. */
  readonly allowedHosts: readonly string[];
  /** Receivers at loopback, link-local and metadata addresses are allowed. */
  readonly allowInternal: boolean;
  /** Events within this time become one message; 0: each is sent separately. */
  readonly groupWindowMs: number;
}

export interface GlobalAlertSettings {
  /** Texts and bodies of Stakater Reloader, or our own. */
  readonly words: 'stakater' | 'cards';
  readonly sink: 'slack' | 'teams' | 'gchat' | 'webhook' | 'raw';
  readonly url: Hidden;
  readonly events: readonly AlertEvent[];
  readonly template: string | undefined;
  /** The format of Teams; undefined: the URL decides. */
  readonly format: TeamsFormat | undefined;
  readonly grouped: boolean;
}

export interface Notice {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly values?: LogValues;
}
