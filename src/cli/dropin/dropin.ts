// `cairn doctor --dropin`: would clients of another JSON-RPC endpoint notice a difference if this server answered them?
// Tested by test/cli/doctor-dropin.test.ts
import { systemClock } from '../../base/clock.ts'
import type { Context, SharedOptions } from '../context.ts'
import { onInterrupt } from '../on-interrupt.ts'
import { createProgress } from '../progress.ts'
import { FoundBad, print, visible } from '../report.ts'
import { serverOf } from '../server-access.ts'
import { createPaint } from '../terminal-colors.ts'
import { asTyped } from '../typed-command.ts'
import { UsageError } from '../usage-error.ts'
import { createEndpoint, readEndpointUrl } from './endpoint.ts'
import { type ProbeResult, runProbes } from './run-probes.ts'
import { rpcProbes } from './probes.ts'

export type DropinOptions = SharedOptions & {
  readonly dropin: string
  readonly url?: string
  readonly key?: string
  readonly secret?: string
  readonly network?: string
}

/** Throws FoundBad if an answer differs without a rule of Cairn that explains it. */
export async function compareEndpoints(context: Context, options: DropinOptions): Promise<void> {
  const key = options.key ?? context.env['CAIRN_KEY'] ?? ''
  if (key === '') throw new UsageError('no API key of this server: set CAIRN_KEY or --key')
  const secret = options.secret ?? context.env['CAIRN_SECRET'] ?? ''
  const server = await serverOf(context, options)
  const network = options.network === undefined ? '' : `/${encodeURIComponent(options.network)}`
  const path = `${network}/v3/${encodeURIComponent(key)}`
  const basic = Buffer.from(`:${secret}`).toString('base64')
  const theirs = createEndpoint({ url: await readEndpointUrl(context, '--dropin', options.dropin) })
  const ours = createEndpoint({
    ...server,
    url: new URL(path, server.url).href,
    ...(secret === '' ? {} : { headers: { authorization: `Basic ${basic}` } }),
  })
  const progress = createProgress(context, {
    title: 'probes',
    total: rpcProbes.length,
    clock: systemClock,
  })
  const stopped = new AbortController()
  const stopListening = onInterrupt(() => stopped.abort(new Error('interrupted')))
  try {
    const { at, results } = await runProbes({
      theirs,
      ours,
      clock: systemClock,
      signal: stopped.signal,
      onProbe: progress.at,
    })
    progress.end()
    const score = scoreOf(results)
    const value = { theirs: theirs.origin, ours: ours.origin, ...at, ...score, results }
    const head = `Compared ${theirs.origin} with ${ours.origin} at block ${BigInt(at.number)} of chain ID ${BigInt(at.chainId)}.`
    const text = [head, ...describe(context, results), summary(score)].join('\n')
    print(context, options.json, value, asTyped(context, text))
    if (score.unexplained > 0) throw new FoundBad()
  } finally {
    progress.end()
    stopListening()
    await Promise.all([theirs.close(), ours.close()])
  }
}

type Score = Readonly<
  Record<'compared' | 'same' | 'wording' | 'more' | 'different' | 'unexplained', number>
>

function scoreOf(results: readonly ProbeResult[]): Score {
  const count = (wanted: ProbeResult['verdict']) =>
    results.filter(({ verdict }) => verdict === wanted).length
  return {
    compared: results.length - count('none'),
    same: count('same'),
    wording: count('wording'),
    more: count('more'),
    different: count('different'),
    unexplained: results.filter(
      ({ verdict, explanation }) => verdict === 'different' && explanation === null,
    ).length,
  }
}

function summary({ compared, same, wording, more, different, unexplained }: Score): string {
  const parts = [
    `${same} of ${compared} answers are the same`,
    `${wording} differ only in the text of an error`,
    `${more} go further than theirs`,
    `${different} differ, ${unexplained} of them without a documented reason`,
  ]
  return `${parts.join('; ')}.`
}

const titles = {
  wording: 'wording',
  more: 'more',
  different: 'different',
  none: 'not compared',
} as const

function describe(context: Context, results: readonly ProbeResult[]): readonly string[] {
  const paint = createPaint(context, 'out')
  return results.flatMap(({ probe, verdict, differences, explanation }) => {
    if (verdict === 'same') return []
    const title = titles[verdict].padEnd(12)
    const isBad = verdict === 'different' && explanation === null
    const mark = isBad ? paint('red', title) : title
    const reason =
      explanation === null
        ? []
        : [
            `              why: ${explanation.text} (docs/reference/differences.md#${explanation.section})`,
          ]
    return [
      `${mark}  ${probe}`,
      ...differences.map((line) => `              ${visible(line)}`),
      ...reason,
    ]
  })
}
