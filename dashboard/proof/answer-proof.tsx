// Requests an answer with its proof bundle, verifies it in the browser and shows the steps.
// Tested by test/browser/proof.test.ts
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { messageOf } from '../app/api.ts'
import { callRpc, type KeyPlace, type RpcAnswer } from '../app/as-key.ts'
import { formatMs } from '../app/format.ts'
import { Card, Facts } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note } from '../ui/note.tsx'
import { isCallMethod } from './call-job.ts'
import type { Check } from './check-answer.ts'
import { checkProof } from './check-proof.ts'
import { Checking, GenesisNeeded } from './checking.tsx'
import { StepList } from './step-list.tsx'
import { ValueView } from './value-view.tsx'
import { Verdict } from './verdict.tsx'
import { type ProofStep, proofStepsOf } from './proof-steps.ts'
import { namesIn } from './step-parts.ts'

const sample = '0x0000000000000000000000000000000000000000'
/** Methods with proof bundles, and example parameters. */
const examples: Readonly<Record<string, readonly unknown[]>> = {
  eth_call: [{ to: sample, data: '0x' }, 'latest'],
  eth_estimateGas: [{ to: sample, data: '0x' }, 'latest'],
  eth_getBalance: [sample, 'latest'],
  eth_getStorageAt: [sample, '0x0', 'latest'],
  eth_getTransactionCount: [sample, 'latest'],
  eth_getCode: [sample, 'latest'],
  eth_getTransactionByBlockHashAndIndex: ['0x', '0x0'],
  eth_getTransactionByBlockNumberAndIndex: ['latest', '0x0'],
  eth_getTransactionByHash: ['0x'],
  eth_getTransactionReceipt: ['0x'],
  eth_getBlockByNumber: ['latest', false],
  eth_getBlockByHash: ['0x', false],
}

type Asked = {
  readonly answer: RpcAnswer
  /** The bundle is as the server sent it; false: the page has changed one bit. */
  readonly intact: boolean
  readonly bundle: ProofBundle
  readonly trusted: string
  /** The person has entered that hash. */
  readonly isOwnHash: boolean
  readonly chainId: string
}

type Shown = Asked & {
  readonly kind: 'checked'
  readonly steps: readonly ProofStep[]
  readonly check: Check
  readonly rules: string | null
  /** Milliseconds. */
  readonly checkMs: number
}

type View =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'checking'; readonly isLoaded: boolean; stop(): void }
  | { readonly kind: 'unknown rules'; readonly why: string; readonly asked: Asked }
  | Shown

export function AnswerProof({
  place,
  network,
  chainId,
  asked,
}: {
  readonly place: KeyPlace
  readonly network: string
  /** Of the network; decimal. */
  readonly chainId: string
  readonly asked: { readonly method: string | null; readonly params: string | null }
}) {
  const [method, setMethod] = useState(asked.method ?? 'eth_getBalance')
  const [params, setParams] = useState(asked.params ?? spell(examples['eth_getBalance'] ?? []))
  const [block, setBlock] = useState('')
  const [view, setView] = useState<View | null>(null)
  /** Texts of genesis files by chain ID. */
  const [genesisFiles, setGenesisFiles] = useState<ReadonlyMap<string, string>>(new Map())
  const sending = useSending()
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const names = Object.keys(examples)
  const options = [...(names.includes(method) ? [] : [method]), ...names]

  async function send(): Promise<void> {
    setView(null)
    const answer = await callRpc(place, network, method, parseParams(params), { proof: true })
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
    const own = block.trim().toLowerCase()
    const isOwnHash = own !== ''
    const trusted = isOwnHash ? own : (bundle.block?.hash ?? '')
    await check({ answer, intact: true, bundle, trusted, isOwnHash, chainId })
  }

  /** Ends the check before. */
  async function check(
    wanted: Asked,
    genesis = genesisFiles.get(wanted.chainId) ?? null,
  ): Promise<void> {
    running.current?.abort()
    const control = new AbortController()
    running.current = control
    const isCurrent = (): boolean => running.current === control
    const show = (next: View): void => {
      if (isCurrent()) setView(next)
    }
    const stop = (): void => control.abort()
    if (isCallMethod(wanted.bundle.method)) show({ kind: 'checking', isLoaded: false, stop })
    const { bundle, trusted, chainId: chain } = wanted
    const replied = wanted.answer.reply.result
    try {
      const outcome = await checkProof(
        { bundle, trusted, replied, chainId: chain, genesis },
        {
          onRunning: () => show({ kind: 'checking', isLoaded: true, stop }),
          signal: control.signal,
        },
      )
      if ('needsGenesis' in outcome) {
        return show({ kind: 'unknown rules', why: outcome.needsGenesis, asked: wanted })
      }
      const { check: found, rules, reads, ms } = outcome
      const steps = proofStepsOf(bundle, trusted, {
        names: namesIn(bundle.params, reads, found.proved),
        hashLine: wanted.isOwnHash
          ? 'The block hash that you trust'
          : 'Its hash is from the answer. Enter one above to use your own.',
        intact: wanted.intact ? null : (wanted.answer.reply.proof as ProofBundle),
        // The verifier ignores pieces that lead nowhere.
        withUnused: !found.proved,
      })
      show({ ...wanted, kind: 'checked', steps, check: found, rules, checkMs: ms })
    } catch (thrown) {
      show({ kind: 'refused', why: `Not checked: ${messageOf(thrown)}.` })
    }
  }

  return (
    <>
      <Card>
        <Form sending={sending} action="Ask and check" onSend={send}>
          <SelectField
            title="Method"
            value={method}
            options={options.map((name) => ({ value: name, title: name }))}
            onValue={(name) => {
              setMethod(name)
              setParams(spell(examples[name] ?? []))
            }}
          />
          <AreaField
            title="Parameters"
            hint="The params of the call, a JSON array."
            value={params}
            onValue={setParams}
          />
          <TextField
            title="Block hash you trust"
            hint="From your own node or another trusted source. If empty, the page uses the block hash in the answer: compare it yourself."
            value={block}
            onValue={setBlock}
            placeholder="0x…"
          />
        </Form>
      </Card>
      {view?.kind === 'refused' && <Note tone="warn">{view.why}</Note>}
      {view?.kind === 'checking' && <Checking isLoaded={view.isLoaded} stop={view.stop} />}
      {view?.kind === 'unknown rules' && (
        <GenesisNeeded
          why={view.why}
          onFile={(text) => {
            setGenesisFiles(new Map([...genesisFiles, [view.asked.chainId, text]]))
            void check(view.asked, text)
          }}
        />
      )}
      {view?.kind === 'checked' && (
        <Checked shown={view} onCheck={(wanted) => void check(wanted)} />
      )}
    </>
  )
}

function Checked({ shown, onCheck }: { readonly shown: Shown; onCheck(wanted: Asked): void }) {
  const { answer, intact, bundle, trusted, isOwnHash, chainId, steps } = shown
  const { result, proof } = answer.reply
  const flip = (): void =>
    onCheck({ answer, trusted, isOwnHash, chainId, intact: false, bundle: damaged(bundle) })
  const restore = (): void =>
    onCheck({ answer, trusted, isOwnHash, chainId, intact: true, bundle: proof as ProofBundle })
  return (
    <>
      <section class="card flush" aria-label="Answer">
        <Verdict {...verdictOf(shown)}>
          checked in {formatMs(shown.checkMs)} · answered in {formatMs(answer.ms)}
        </Verdict>
        <div class="card-body stack">
          {!intact && <Note tone="warn">This page has changed one bit of the proof.</Note>}
          <ValueView value={result} isRefused={!verdictOf(shown).isProved} />
          <Facts
            rows={[
              ['Block', <span class="mono">{trusted}</span>],
              ['Label of the server', answer.verified ?? 'none'],
            ]}
          />
        </div>
        <StepList steps={steps} />
      </section>
      <Card
        title="Don't take our word for it"
        about="Check the downloaded proof offline, or change one bit and watch the verdict turn to “Not proved”."
        actions={
          <>
            <button class="button" type="button" onClick={() => download(bundle)}>
              Download proof
            </button>
            <button class="button" type="button" onClick={intact ? flip : restore}>
              {intact ? 'Change one bit' : 'Restore proof'}
            </button>
          </>
        }
      >
        <CodeBlock text={commandFor(shown)} title="the command to verify offline" wrapped />
      </Card>
    </>
  )
}

/** The only judgement: headline, sentence and colour follow from it. */
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
  if (!found.proved) return { isProved: false, text: sentence(found.why) }
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

function download(bundle: ProofBundle): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(bundle)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'bundle.json'
  link.click()
  URL.revokeObjectURL(url)
}

function flipBit(hex: string): string {
  return hex.slice(0, -1) + (Number.parseInt(hex.slice(-1), 16) ^ 1).toString(16)
}

function spell(value: unknown): string {
  return JSON.stringify(value, null, typeof value === 'object' && !Array.isArray(value) ? 2 : 0)
}

function parseParams(text: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('the parameters are not valid JSON')
  }
  if (!Array.isArray(value)) throw new Error('the parameters must be a JSON array')
  return value
}
