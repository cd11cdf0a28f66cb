// Why a request failed, in words: the error message, and the result of each upstream. Pure.
// Tested by dashboard/pages/inspector/failure-texts.test.ts

type Step = { readonly step: string; readonly name: string; readonly outcome: string }

/** By the outcome of a step of the timeline. Other outcomes are not failures. */
const causes: Readonly<Record<string, string>> = {
  trouble: 'did not answer',
  rate_limit: 'was over its rate limit',
  billing: 'refused the account',
  credentials: 'refused the credentials',
  not_asked: 'was paused',
  lied: 'sent an invalid reply',
  failed: 'sent no usable reply',
  absent: 'does not have the block',
  cannot: 'cannot prove this',
  pruned: 'no longer has the state',
  missing_state: 'does not have the state',
  proof_window: 'cannot prove a block this old',
  unsupported: 'does not know the method',
  range: 'refused the range',
  open: 'had not answered in time',
}

/** Texts such as `node-a did not answer`, one per upstream. Empty without the names, which only operators see. */
export function upstreamCauses(timeline: readonly Step[]): readonly string[] {
  const last = new Map<string, string>()
  for (const { step, name, outcome } of timeline) {
    const cause = causes[outcome]
    if (step === 'source' && name !== '' && cause !== undefined) last.set(name, cause)
  }
  return [...last].map(([name, cause]) => `${name} ${cause}`)
}

/** The `message` of a recorded error; null: not recorded, or truncated. */
export function messageIn(text: string | null): string | null {
  try {
    const error = JSON.parse(text ?? 'null') as { readonly message?: unknown } | null
    return typeof error?.message === 'string' && error.message !== '' ? error.message : null
  } catch {
    return null
  }
}
