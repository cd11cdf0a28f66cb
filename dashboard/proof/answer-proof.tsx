// Requests an answer with its proof bundle, verifies it in the browser and shows the steps.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { callRpc, type KeyPlace, type RpcAnswer } from '../app/as-key.ts'
import { formatMs } from '../app/format.ts'
import { Card, Facts } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note } from '../ui/note.tsx'
import type { Check } from './check-answer.ts'
import { StepList } from './step-list.tsx'
import { ValueView } from './value-view.tsx'
import { Verdict } from './verdict.tsx'
import { type ProofStep, proofStepsOf } from './proof-steps.ts'

const sample = '0x0000000000000000000000000000000000000000'
/** Methods with proof bundles, and example parameters. */
const examples: Readonly<Record<string, readonly unknown[]>> = {
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

type Shown = {
  readonly answer: RpcAnswer
  /** The bundle is as the server sent it; false: the page has changed one bit. */
  readonly intact: boolean
  readonly bundle: ProofBundle
  readonly trusted: string
  readonly steps: readonly ProofStep[]
  readonly check: Check
}

export function AnswerProof({
  place,
  network,
  asked,
}: {
  readonly place: KeyPlace
  readonly network: string
  readonly asked: { readonly method: string | null; readonly params: string | null }
}) {
  const [method, setMethod] = useState(asked.method ?? 'eth_getBalance')
  const [params, setParams] = useState(asked.params ?? spell(examples['eth_getBalance'] ?? []))
  const [block, setBlock] = useState('')
  const [shown, setShown] = useState<Shown | { readonly refusal: string } | null>(null)
  const sending = useSending()
  const names = Object.keys(examples)
  const options = [...(names.includes(method) ? [] : [method]), ...names]

  async function send(): Promise<void> {
    setShown(null)
    const answer = await callRpc(place, network, method, parseParams(params), { proof: true })
    const { error, proof } = answer.reply
    if (error !== undefined) return setShown({ refusal: error.message })
    const bundle = proof as ProofBundle | undefined
    const trusted = block.trim() === '' ? (bundle?.block?.hash ?? '') : block.trim().toLowerCase()
    if (bundle === undefined || bundle.header === null) {
      const label = answer.verified === null ? '' : ` (label ${answer.verified})`
      return setShown({ refusal: `The server sent no proof for this answer${label}.` })
    }
    setShown(await check(answer, bundle, trusted, true))
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
      {shown !== null && 'refusal' in shown && <Note tone="warn">{shown.refusal}</Note>}
      {shown !== null && !('refusal' in shown) && <Checked shown={shown} onChecked={setShown} />}
    </>
  )
}

async function check(
  answer: RpcAnswer,
  bundle: ProofBundle,
  trusted: string,
  intact: boolean,
): Promise<Shown> {
  const { checkAnswer } = await import('./check-answer.ts')
  const found = await checkAnswer(bundle, trusted, answer.reply.result)
  return { answer, intact, bundle, trusted, steps: proofStepsOf(bundle, trusted), check: found }
}

function Checked({ shown, onChecked }: { readonly shown: Shown; onChecked(shown: Shown): void }) {
  const { answer, intact, bundle, trusted, steps } = shown
  const { result, proof } = answer.reply
  const flipBit = async (): Promise<void> =>
    onChecked(await check(answer, damaged(bundle), trusted, false))
  const restore = async (): Promise<void> =>
    onChecked(await check(answer, proof as ProofBundle, trusted, true))
  return (
    <>
      <section class="card flush" aria-label="Answer">
        <Verdict {...verdictOf(shown)}>answered in {formatMs(answer.ms)}</Verdict>
        <div class="card-body stack">
          {!intact && <Note tone="warn">This page has changed one bit of the proof.</Note>}
          <ValueView value={result} />
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
            <button
              class="button"
              type="button"
              onClick={() => void (intact ? flipBit() : restore())}
            >
              {intact ? 'Change one bit' : 'Restore proof'}
            </button>
          </>
        }
      >
        <CodeBlock
          text={`cairn verify bundle.json --block ${trusted}`}
          title="the command to verify offline"
          wrapped
        />
      </Card>
    </>
  )
}

/** The only judgement: headline, sentence and colour follow from it. */
function verdictOf({ check: found, steps }: Shown): {
  readonly isProved: boolean
  readonly text: string
} {
  if (!found.proved) return { isProved: false, text: found.why }
  if (!found.matchesReply) {
    return { isProved: false, text: `The proof leads to another answer: ${found.result}` }
  }
  return { isProved: true, text: `All ${steps.length} hashes match, from the block to the value.` }
}

/** The bundle with one bit changed in its last node, or in its header if it has no nodes. */
function damaged(bundle: ProofBundle): ProofBundle {
  const nodes = bundle.nodes.map((node, at) => (at === bundle.nodes.length - 1 ? flip(node) : node))
  const header = nodes.length === 0 ? flip(bundle.header ?? '0x00') : bundle.header
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

function flip(hex: string): string {
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
