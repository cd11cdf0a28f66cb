// Removes an upstream's secrets from text: keys in the path or query of its URLs, credentials, header values. Replies
// of upstreams may repeat them; all errors, logs and evidence that leave this folder are redacted here.
import { decodeOrSame } from '../../../base/decode-or-same.ts'

export type Redact = (text: string) => string

/** A shorter word is not treated as a secret, because redacting it would make messages unreadable. */
const secretLengthMin = 6
const secretsMax = 256
/** The limit on the scheme makes the search linear in text that an upstream wrote. */
const urls = /\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>]*/gi
const hidden = '<redacted>'

/** The returned function also truncates every URL in a text to its scheme and host. */
export function createRedact(
  places: readonly URL[],
  headers: Readonly<Record<string, string>>,
): Redact {
  const secrets = secretsOf(places, headers)
  return (text) => {
    let clear = text.replaceAll(urls, (url) => hostOnly(url))
    for (const secret of secrets) clear = clear.replaceAll(secret, hidden)
    return clear
  }
}

/** Names that resolve only inside a network, and addresses, with or without a port. */
const innerHosts =
  /\b(?:localhost|(?:[a-z0-9_-]{1,63}\.){1,8}(?:internal|intranet|local|localdomain|lan|svc|corp)|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?![\w.-]*\w)/gi

/** Removes the upstream's own host, and internal hosts, from an error text for callers. */
export function createHide({ host, hostname }: URL): Redact {
  return (text) =>
    text.replaceAll(host, hidden).replaceAll(hostname, hidden).replaceAll(innerHosts, hidden)
}

/** Host and port: the name of an upstream without a configured name. Never contains a credential. */
export function hostOf(url: URL): string {
  return url.host
}

function hostOnly(text: string): string {
  if (!URL.canParse(text)) return hidden
  const { protocol, host } = new URL(text)
  return `${protocol}//${host}`
}

function secretsOfUrl(url: URL): readonly string[] {
  return [
    url.username,
    url.password,
    // The Basic credentials as sent.
    base64(`${decodeOrSame(url.username)}:${decodeOrSame(url.password)}`),
    ...url.pathname.split('/'),
    // The query values also in their encoded form, and a key without a parameter name.
    ...url.search
      .slice(1)
      .split('&')
      .map((part) => part.slice(part.indexOf('=') + 1)),
    ...url.searchParams.values(),
  ]
}

function secretsOf(
  places: readonly URL[],
  headers: Readonly<Record<string, string>>,
): readonly string[] {
  const values = [
    ...places.flatMap(secretsOfUrl),
    ...Object.values(headers).flatMap((value) => secretsOfHeader(value)),
  ]
  const spellings = values
    .flatMap((value) => [value, decodeOrSame(value)])
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
  const secrets = new Set(spellings.filter((value) => value.length >= secretLengthMin))
  // Longest first: if a secret contains another, no part of it may remain.
  return [...secrets].toSorted((a, b) => b.length - a.length).slice(0, secretsMax)
}

/** `Bearer <token>`: the token alone is also a secret. `Basic <base64>`: so is the decoded text. */
function secretsOfHeader(value: string): readonly string[] {
  const tokens = value.split(/[\s,;=]+/)
  const pair = /^Basic\s+(\S+)/i.exec(value)?.[1]
  const parts = pair === undefined ? [] : Buffer.from(pair, 'base64').toString('utf8').split(':')
  return [value, ...tokens, ...parts]
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
