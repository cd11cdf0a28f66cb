// Requests an answer with its proof bundle, verifies it in the browser and shows the steps.
// Tested by test/browser/proof.test.ts
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { messageOf } from '../app/api.ts'
import { callRpc, type KeyPlace, type RpcAnswer } from '../app/as-key.ts'
import type { Choices, useKeyChoice } from '../app/choose-key.tsx'
import { formatMs } from '../app/format.ts'
import { Card } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { Note } from '../ui/note.tsx'
import { AskForm, type RequestedRead, type Question } from './ask-form.tsx'
import { isCallMethod } from './call-job.ts'
import type { Check } from './check-answer.ts'
import { checkProof } from './check-proof.ts'
import { Checking, GenesisNeeded } from './checking.tsx'
import { labelOf } from './questions.ts'
import { StepList } from './step-list.tsx'
import { ValueView } from './value-view.tsx'
import { Verdict } from './verdict.tsx'
import { type ProofStep, proofStepsOf } from './proof-steps.ts'
import { namesIn } from './step-parts.ts'

type ProofRequest = {
  readonly answer: RpcAnswer
  /** The bundle is as the server sent it; false: the page has changed one bit. */
  readonly intact: boolean
  readonly bundle: ProofBundle
  readonly trusted: string
  /** The person has entered the trusted hash. */
  readonly isOwnHash: boolean
  readonly chainId: string
}

type Shown = ProofRequest & {
  readonly kind: 'checked'
  readonly steps: readonly ProofStep[]
  readonly check: Check
  readonly rules: string | null
  /** Duration of the check in milliseconds. */
  readonly checkMs: number
}

type View =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'checking'; readonly isLoaded: boolean; stop(): void }
  | { readonly kind: 'unknown rules'; readonly why: string; readonly requested: ProofRequest }
  | Shown

export function AnswerProof({
  choices,
  choice,
  place,
  requested,
  onProof,
}: {
  readonly choices: Choices
  readonly choice: ReturnType<typeof useKeyChoice>
  readonly place: KeyPlace
  readonly requested: RequestedRead
  /** Receives the shown bundle; null: none is shown. */
  onProof(bundle: ProofBundle | null): void
}) {
  const [view, setView] = useState<View | null>(null)
  /** Texts of genesis files by chain ID. */
  const [genesisFiles, setGenesisFiles] = useState<ReadonlyMap<string, string>>(new Map())
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => onProof(view?.kind === 'checked' ? view.bundle : null), [view])
  useEffect(() => () => onProof(null), [])

  async function send({ method, params, trusted: own }: Question): Promise<void> {
    running.current?.abort()
    setView(null)
    const { network } = choice
    const answer = await callRpc(place, network, method, params, { proof: true })
    const { error, proof } = answer.reply
    if (error !== undefined) return setView({ kind: 'refused', why: error.message })
    const bundle = proof as ProofBundle | undefined
    if (bundle === undefined || bundle.header === null) {
      const label = answer.verified === null ? '' : ` (label ${answer.verified})`
      return setView({
        kind: 'refused',
        why: `The server sent no proof for this answer${label}.`,
      })
    }
    const isOwnHash = own !== ''
    const trusted = isOwnHash ? own : (bundle.block?.hash ?? '')
    const chainId = choices.details.get(network)?.chainId ?? '0'
    await check({ answer, intact: true, bundle, trusted, isOwnHash, chainId })
  }

  /** Aborts the previous check. */
  async function check(
    request: ProofRequest,
    genesis = genesisFiles.get(request.chainId) ?? null,
  ): Promise<void> {
    running.current?.abort()
    const control = new AbortController()
    running.current = control
    const isCurrent = (): boolean => running.current === control
    const show = (next: View): void => {
      if (isCurrent()) setView(next)
    }
    const stop = (): void => control.abort()
    if (isCallMethod(request.bundle.method)) show({ kind: 'checking', isLoaded: false, stop })
    const { bundle, trusted, chainId: chain } = request
    const replied = request.answer.reply.result
    try {
      const outcome = await checkProof(
        { bundle, trusted, replied, chainId: chain, genesis },
        {
          onRunning: () => show({ kind: 'checking', isLoaded: true, stop }),
          signal: control.signal,
        },
      )
      if ('needsGenesis' in outcome) {
        return show({ kind: 'unknown rules', why: outcome.needsGenesis, requested: request })
      }
      const { check: found, rules, reads, ms } = outcome
      const steps = proofStepsOf(bundle, trusted, {
        names: namesIn(bundle.params, reads, found.proved),
        hashLine: request.isOwnHash
          ? 'The block hash that you trust'
          : 'Its hash is from the answer. Enter one above to use your own.',
        intact: request.intact ? null : (request.answer.reply.proof as ProofBundle),
        // The verifier ignores unused nodes.
        withUnused: !found.proved,
      })
      show({ ...request, kind: 'checked', steps, check: found, rules, checkMs: ms })
    } catch (thrown) {
      show({ kind: 'refused', why: `Not checked: ${messageOf(thrown)}.` })
    }
  }

  return (
    <>
      <AskForm choices={choices} choice={choice} place={place} requested={requested} onAsk={send} />
      {view?.kind === 'refused' && <Note tone="warn">{view.why}</Note>}
      {view?.kind === 'checking' && <Checking isLoaded={view.isLoaded} stop={view.stop} />}
      {view?.kind === 'unknown rules' && (
        <GenesisNeeded
          why={view.why}
          onFile={(text) => {
            setGenesisFiles(new Map([...genesisFiles, [view.requested.chainId, text]]))
            void check(view.requested, text)
          }}
        />
      )}
      {view?.kind === 'checked' && (
        <Checked shown={view} onCheck={(request) => void check(request)} />
      )}
    </>
  )
}

function Checked({
  shown,
  onCheck,
}: {
  readonly shown: Shown
  onCheck(request: ProofRequest): void
}) {
  const { answer, intact, bundle, trusted, isOwnHash, chainId, steps } = shown
  const { result, proof } = answer.reply
  const verdict = verdictOf(shown)
  const requested = proof as ProofBundle
  const number = BigInt(requested.block?.number ?? 0).toLocaleString('en')
  const flip = (): void =>
    onCheck({ answer, trusted, isOwnHash, chainId, intact: false, bundle: damaged(bundle) })
  const restore = (): void =>
    onCheck({ answer, trusted, isOwnHash, chainId, intact: true, bundle: requested })
  return (
    <>
      <section class="card flush" aria-label="Answer">
        <Verdict {...verdict}>
          checked in {formatMs(shown.checkMs)} · answered in {formatMs(answer.ms)}
        </Verdict>
        <div class="card-body">
          <p class="soft">{`${labelOf(requested.method, requested.params)} at block ${number}`}</p>
          <ValueView value={result} isRefused={!verdict.isProved} />
        </div>
        <StepList steps={steps} />
      </section>
      <Card
        title="Don't take our word for it"
        about="Check the downloaded proof offline, or change one bit and watch the verdict turn to “Not proved”."
        actions={
          <button class="button" type="button" onClick={intact ? flip : restore}>
            {intact ? 'Change one bit' : 'Restore proof'}
          </button>
        }
      >
        <CodeBlock text={commandFor(shown)} title="the command to verify offline" wrapped />
      </Card>
    </>
  )
}

/** Computes the verdict; headline, sentence and colour derive from it. */
function verdictOf({ check: found, steps, rules, intact }: Shown): {
  readonly isProved: boolean
  readonly text: string
} {
  const wrong = steps.findIndex(({ isValid }) => !isValid)
  const matching = steps.filter(({ isValid }) => isValid).length
  if (!found.proved && wrong >= 0) {
    const changed = intact ? '' : ': you changed one bit of it'
    const text = `Step ${wrong + 1} does not match${changed}. ${matching} of ${steps.length} hashes match, and one that does not is enough to reject the answer.`
    return { isProved: false, text }
  }
  if (!found.proved) {
    const changed = intact ? '' : ' You changed one bit of the proof.'
    return { isProved: false, text: `${sentence(found.why)}${changed}` }
  }
  if (!found.matchesReply) {
    return { isProved: false, text: `The proof leads to another answer: ${found.result}` }
  }
  const hashes = `All ${steps.length} hashes match`
  const text =
    rules === null
      ? `${hashes}, from the block to the value.`
      : `${hashes}, and the call gives the same result here, under the rules of ${rules}.`
  return { isProved: true, text }
}

function sentence(why: string): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`
}

function commandFor({ trusted, rules, bundle }: Shown): string {
  const known = rules === null || rules.startsWith('the genesis') ? null : rules.split(',', 1)[0]
  const named = known === null ? ' --genesis genesis.json' : ` --network ${known}`
  return `cairn verify bundle.json --block ${trusted}${isCallMethod(bundle.method) ? named : ''}`
}

/** The bundle with one bit changed in its last node, or in its header if it has no nodes. */
function damaged(bundle: ProofBundle): ProofBundle {
  const nodes = bundle.nodes.map((node, at) =>
    at === bundle.nodes.length - 1 ? flipBit(node) : node,
  )
  const header = nodes.length === 0 ? flipBit(bundle.header ?? '0x00') : bundle.header
  return { ...bundle, nodes, header }
}

function flipBit(hex: string): string {
  return hex.slice(0, -1) + (Number.parseInt(hex.slice(-1), 16) ^ 1).toString(16)
}
