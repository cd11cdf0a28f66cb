// Removes credentials from recorded requests: those of the request itself by their text, others by their form. Text is truncated
// afterwards, so that it never ends with a part of a credential.
// Tested by src/pipeline/inspector/redact.test.ts

export type Redacted = { readonly text: string; readonly cut: boolean }

const shown = '[redacted]'
/** Shorter texts would match too often. */
const secretCharsMin = 8
/** Longer than any secret that redaction looks for. */
const spareChars = 8_192

const shapes: readonly (readonly [RegExp, string])[] = [
  // Keys, secrets and tokens of Cairn.
  [/\bcairn[a-z]?_[A-Za-z0-9_]{16,128}/g, shown],
  [/\b(Basic|Bearer)\s+[\w+/=.~-]{8,4096}/gi, `$1 ${shown}`],
  // The user part of a URL.
  [/:\/\/[^\s/@"']{1,512}@/g, `://${shown}@`],
  // The key in the URL of a JSON-RPC API, Cairn's or another provider's.
  [/\/v([23])\/[\w-]{8,128}/g, `/v$1/${shown}`],
]

/** Matches whole runs of characters, so each character is read once. */
const words = /[\w.-]{20,}/g

/** `secrets`: credentials of the request itself; short or missing ones are ignored. */
export function createRedact(
  secrets: readonly (string | null | undefined)[],
): (text: string, charsMax: number) => Redacted {
  const own = secrets.filter((secret) => typeof secret === 'string').filter(isLong)
  return (text, charsMax) => {
    let left = text.slice(0, charsMax + spareChars)
    for (const secret of own) left = left.replaceAll(secret, shown)
    for (const [shape, instead] of shapes) left = left.replace(shape, instead)
    left = left.replace(words, withoutToken)
    const cut = left.length > charsMax || text.length > charsMax + spareChars
    return { text: ownCopy(left.slice(0, charsMax)), cut }
  }
}

/** Copies the text, because a substring would keep the whole original string in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString()
}

/** A JSON Web Token (RFC 7519) has three parts separated by dots; `{"` in base64 is `eyJ`. */
function withoutToken(word: string): string {
  const at = word.indexOf('eyJ')
  return at === -1 || word.slice(at).split('.').length < 3 ? word : word.slice(0, at) + shown
}

function isLong(secret: string): boolean {
  return secret.length >= secretCharsMin
}
