// Takes an upstream's secrets out of text: keys in the path or query of its URL, credentials, header values.
// What upstreams say may repeat them; what leaves this folder in errors, logs and evidence went through here.

export type Redact = (text: string) => string

/** A word this short is no secret, and would blot out half of every sentence. */
const secretLengthMin = 6
const secretsMax = 64
/** The bound on the scheme keeps the search linear in text that an upstream wrote. */
const urls = /\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"'<>]*/gi
const hidden = '<redacted>'

/** The returned function also cuts every URL in a text down to its scheme and host. */
export function createRedact(url: URL, headers: Readonly<Record<string, string>>): Redact {
  const secrets = secretsOf(url, headers)
  return (text) => {
    let clear = text.replaceAll(urls, (whole) => hostOnly(whole))
    for (const secret of secrets) clear = clear.replaceAll(secret, hidden)
    return clear
  }
}

/** Host and port: what an upstream without a name of its own is called. Never holds a credential. */
export function hostOf(url: URL): string {
  return url.host
}

function hostOnly(text: string): string {
  if (!URL.canParse(text)) return hidden
  const { protocol, host } = new URL(text)
  return `${protocol}//${host}`
}

function secretsOf(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = [
    url.username,
    url.password,
    ...url.pathname.split('/'),
    ...url.searchParams.values(),
    // `Bearer <token>`: the token is also a secret without the word before it.
    ...Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/)]),
  ]
  const spellings = values.flatMap((value) => [value, decoded(value)])
  const secrets = new Set(spellings.filter((value) => value.length >= secretLengthMin))
  // The longest first: a secret that holds another must not leave its rest behind.
  return [...secrets].toSorted((a, b) => b.length - a.length).slice(0, secretsMax)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
