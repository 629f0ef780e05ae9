export {
  type AdmissionAnswer,
  type AdmissionContext,
  type AdmissionHandler,
  type AdmissionRequest,
  allow,
  type Defaulter,
  defaulter,
  deny,
  invalid,
  type Operation,
  type UserInfo,
  type Validator,
  validator,
} from './admission.ts';
export type { WebhookConfigurationRef } from './ca-injection.ts';
export { type CertificateDirectoryOptions, certificateDirectory } from './certificate-directory.ts';
export { CertificateError, type CertificateSource, type ServingPair } from './certificate-source.ts';
export { type ManagedCertificatesOptions, managedCertificates } from './managed-certificates.ts';
export { createWebhookServer, type WebhookServer, type WebhookServerOptions } from './server.ts';
