// Replays the recorded requests against a JSON-RPC API and lists every reply that differs, by the rules in the README of the
// vectors: results are compared as JSON values, errors by code, and by message if it is fixed.
import assert from 'node:assert/strict'
import { readTranscripts, type Transcript } from './transcripts.ts'

/** Sends one body and returns the HTTP status and the text of the reply. */
export type Post = (body: string) => Promise<{ readonly status: number; readonly text: string }>

export type Failure = { readonly name: string; readonly why: string }

export type Replay = {
  /** Number of requests sent; the caller asserts that it is not 0. */
  readonly sent: number
  readonly failures: readonly Failure[]
}

/**
 * Replays the transcripts of `methods` in `folder`, in order, one at a time. A reply without result and error is a failure, also if
 * null is expected. `exactMessages`: methods whose error texts are compared too.
 */
export async function replayTranscripts(options: {
  readonly folder: string
  readonly methods: ReadonlySet<string>
  readonly post: Post
  readonly exactMessages?: ReadonlySet<string>
}): Promise<Replay> {
  const chosen = readTranscripts(options.folder).filter(({ method }) => options.methods.has(method))
  const failures: Failure[] = []
  for (const transcript of chosen) {
    const why = await replay(transcript, options.post, options.exactMessages ?? new Set())
    if (why !== null) failures.push({ name: transcript.name, why })
  }
  return { sent: chosen.length, failures }
}

async function replay(
  transcript: Transcript,
  post: Post,
  exactMessages: ReadonlySet<string>,
): Promise<string | null> {
  const { status, text } = await post(transcript.request)
  if (status !== 200) return `HTTP ${status}: ${text.slice(0, 200)}`
  const got = parseObject(text)
  const want = parseObject(transcript.response)
  if (got === null || want === null) return `not a JSON object: ${text.slice(0, 200)}`
  if (!('result' in got) && !('error' in got)) return 'neither result nor error'
  if ('result' in want !== 'result' in got) return `expected ${transcript.response}, got ${text}`
  if ('error' in want) return compareErrors(want['error'], got['error'], exactMessages, transcript)
  if (transcript.shapeOnly) return compareShapes(want['result'], got['result'])
  return compareValues(want['result'], got['result'])
}

function compareErrors(
  want: unknown,
  got: unknown,
  exactMessages: ReadonlySet<string>,
  { method }: Transcript,
): string | null {
  const [wanted, given] = [asObject(want), asObject(got)]
  if (wanted === null || given === null) return 'an error that is no object'
  if (wanted['code'] !== given['code']) {
    return `code ${JSON.stringify(wanted['code'])}, got ${JSON.stringify(given['code'])}`
  }
  if (!exactMessages.has(method) || wanted['message'] === given['message']) return null
  return `message ${JSON.stringify(wanted['message'])}, got ${JSON.stringify(given['message'])}`
}

/** Checks that every member of geth's reply exists, with a value of the same type. */
function compareShapes(want: unknown, got: unknown): string | null {
  const wanted = asObject(want)
  if (wanted === null) return kindOf(want) === kindOf(got) ? null : `${kindOf(want)} expected`
  const given = asObject(got)
  if (given === null) return 'an object expected'
  const differing = Object.keys(wanted).filter(
    (name) => kindOf(wanted[name]) !== kindOf(given[name]),
  )
  return differing.length === 0 ? null : `members differ in kind: ${differing.join(', ')}`
}

function compareValues(want: unknown, got: unknown): string | null {
  try {
    assert.deepStrictEqual(got, want)
    return null
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.slice(0, 2000) : String(thrown)
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return { ...value }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    // Chain IDs above 2^53 are correct: all quantities are text, so no number is rounded.
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}
