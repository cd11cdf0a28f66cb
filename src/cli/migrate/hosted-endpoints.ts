// Finds URLs of hosted endpoints in the text of a project and their replacements. Pure.
// Tested by src/cli/migrate/hosted-endpoints.test.ts

export type FoundEndpoint = {
  /** Line number, from 1. */
  readonly line: number
  /** As found; may contain a key. */
  readonly before: string
  /** Null: needs a change by hand, described in `advice`. */
  readonly after: string | null
  readonly advice: string | null
}

/** Public URL of the server, without a trailing slash. */
export type NewEndpoint = { readonly url: string }

type Rule = {
  readonly form: RegExp
  /** Null: no automatic replacement. */
  readonly replace: ((match: RegExpExecArray, to: NewEndpoint) => string) | null
  readonly advice: string | null
}

/** The rest of a URL: a key, or a placeholder such as `${KEY}` in code. */
const rest = String.raw`(?:\$\{[^}\s]{1,80}\}|[A-Za-z0-9_$%.~<>{}/?=&-])*`

/** User name and secret before the host. */
const user = String.raw`([^\s/@'"\x60]{1,300}@)?`

function withUser(url: string, info: string): string {
  return url.replace('://', `://${info}`)
}

const byHand = 'create an API key in Cairn and use <url>/<network>/v3/<API_KEY>'

const rules: readonly Rule[] = [
  {
    form: new RegExp(String.raw`https?://${user}([a-z0-9-]+)\.infura\.io/v3(/${rest})?`, 'g'),
    replace: ([, info = '', network = '', tail = ''], { url }) =>
      `${withUser(url, info)}/${network}/v3${tail}`,
    advice: null,
  },
  {
    form: new RegExp(String.raw`wss?://([a-z0-9-]+)\.infura\.io/ws/v3(/${rest})?`, 'g'),
    replace: ([, network = '', tail = ''], { url }) =>
      `${url.replace(/^http/, 'ws')}/${network}/ws/v3${tail}`,
    advice: null,
  },
  {
    form: new RegExp(String.raw`https?://${user}ipfs\.infura\.io(?::5001)?(/${rest})?`, 'g'),
    replace: ([, info = '', tail = ''], { url }) => `${withUser(url, info)}${tail}`,
    advice: null,
  },
  {
    form: new RegExp(String.raw`https?://[a-z0-9-]+\.infura-ipfs\.io(/${rest})?`, 'g'),
    replace: ([, tail = ''], { url }) => `${url}${tail}`,
    advice: null,
  },
  {
    form: /\bnew (?:ethers\.)?(?:providers\.)?Infura(?:WebSocket)?Provider\b/g,
    replace: null,
    advice: 'it contains the host of Infura: use JsonRpcProvider or WebSocketProvider with <url>',
  },
  {
    form: /(['"`])ipfs\.infura\.io\1/g,
    replace: null,
    advice: 'set host, port and protocol of <url>',
  },
  {
    form: new RegExp(String.raw`(?:https?|wss?)://[a-z0-9-]+\.g\.alchemy\.com/${rest}`, 'g'),
    replace: null,
    advice: byHand,
  },
  {
    form: new RegExp(String.raw`(?:https?|wss?)://[a-z0-9.-]+\.quiknode\.pro/${rest}`, 'g'),
    replace: null,
    advice: byHand,
  },
  {
    form: new RegExp(String.raw`https?://rpc\.ankr\.com/${rest}`, 'g'),
    replace: null,
    advice: byHand,
  },
]

const lineCharsMax = 10_000

/** In text order. Skips lines of more than 10,000 characters: they are generated. */
export function findEndpoints(text: string, to: NewEndpoint): readonly FoundEndpoint[] {
  return text.split('\n').flatMap((content, at) => {
    if (content.length > lineCharsMax) return []
    return matchesOf(content).map(({ rule, match }) => ({
      line: at + 1,
      before: match[0],
      after: rule.replace?.(match, to) ?? null,
      advice: rule.advice?.replaceAll('<url>', to.url) ?? null,
    }))
  })
}

/** Replaces every URL in `text` that has an automatic replacement. */
export function replaceEndpoints(text: string, to: NewEndpoint): string {
  return text
    .split('\n')
    .map((content) => {
      if (content.length > lineCharsMax) return content
      let changed = content
      for (const { rule, match } of matchesOf(content).toReversed()) {
        if (rule.replace === null) continue
        const end = match.index + match[0].length
        changed = changed.slice(0, match.index) + rule.replace(match, to) + changed.slice(end)
      }
      return changed
    })
    .join('\n')
}

/** Left to right; at each position the first matching rule applies. */
function matchesOf(
  line: string,
): readonly { readonly rule: Rule; readonly match: RegExpExecArray }[] {
  const found = rules.flatMap((rule) =>
    [...line.matchAll(rule.form)].map((match) => ({ rule, match })),
  )
  return found
    .toSorted((one, other) => one.match.index - other.match.index)
    .filter(({ match }, at, all) => {
      const before = all[at - 1]?.match
      return before === undefined || match.index >= before.index + before[0].length
    })
}

/** Masks everything that may be a key: a user before the host, and runs of 16 or more letters and digits. */
export function maskKeys(text: string): string {
  return text
    .replace(/:\/\/[^/@]*@/, '://…@')
    .replaceAll(/[A-Za-z0-9_-]{16,}/g, (long) =>
      /\d/.test(long) || /[A-Z]/.test(long) ? `${long.slice(0, 4)}…` : long,
    )
}
