/**
 * Texts and bodies of Stakater Reloader, byte for byte, for users who configure alerts with its variables. Stakater
 * Reloader reports only success; the other events use the same style.
 */
import { type SourceRef, STAKATER_TYPE } from '../../reloader/model/source.ts';
import { MOST_NAMED } from '../alert-text.ts';
import { type Alert, type AlertMessage, type Body, type Format, json, plainText } from '../message.ts';

export type StakaterSink = 'slack' | 'teams' | 'gchat' | 'webhook' | 'raw';

export function stakaterFormat(sink: StakaterSink): Format {
  return (alert) => {
    const text = stakaterText(alert);
    switch (sink) {
      case 'slack':
      case 'webhook':
        return goJson({ attachments: [{ text, color: colorOf(alert), author_name: 'Reloader' }] });
      case 'teams':
      case 'gchat':
        return goJson({ text });
      case 'raw':
        return plainText(text.replaceAll('*', ''));
    }
  };
}

export function stakaterText({ messages, additionalInfo }: Alert): string {
  const lines: string[] = messages.slice(0, MOST_NAMED).map(sentence);
  if (messages.length > lines.length) lines.push(`and ${messages.length - lines.length} more`);
  const text = lines.join('\n');
  return additionalInfo === undefined ? text : `${additionalInfo} : ${text}`;
}

function sentence({ event, workload, resources, error, deferral }: AlertMessage): string {
  const { kind, name, namespace } = workload;
  const detected =
    resources.length === 0
      ? 'Reloader detected that another tool had undone a reload'
      : `Reloader detected changes in ${resources.map(resourceText).join(' and ')}`;
  const target = `*${name}* of type *${kind}* in namespace *${namespace}*`;
  if (event === 'reloaded') return `${detected}. Hence reloaded ${target}`;
  if (event === 'failed') return `${detected}. Failed to reload ${target}: ${error}`;
  return `${detected}. Holding back the reload of ${target}: ${deferral?.message}`;
}

function resourceText({ kind, name, namespace }: SourceRef): string {
  return `*${name}* of type *${STAKATER_TYPE[kind]}* in namespace *${namespace}*`;
}

function colorOf({ messages: [{ event }] }: Alert): string {
  return event === 'reloaded' ? 'good' : event === 'failed' ? 'danger' : 'warning';
}

/** Go writes these characters in JSON strings as escapes. */
function goJson(value: object): Body {
  const { contentType, text } = json(value);
  const escaped = text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { contentType, text: escaped };
}
