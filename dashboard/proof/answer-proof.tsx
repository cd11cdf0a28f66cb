// Requests an answer with its proof bundle, verifies it in the browser and shows the steps.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { callRpc, type KeyPlace, type RpcAnswer } from '../app/as-key.ts'
import { formatMs } from '../app/format.ts'
import { Badge } from '../ui/badge.tsx'
import { Card, Facts } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { AreaField, SelectField, TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note } from '../ui/note.tsx'
import type { Check } from './check-answer.ts'
import { StepList } from './step-list.tsx'
import { type ProofStep, proofStepsOf } from './proof-steps.ts'

const sample = '0x0000000000000000000000000000000000000000'
/** Methods with proof bundles, and example parameters. */
const examples: Readonly<Record<string, readonly unknown[]>> = {
  eth_getStorageAt: [sample, '0x0', 'latest'],
  eth_getBalance: [sample, 'latest'],
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
  const [method, setMethod] = useState(asked.method ?? 'eth_getStorageAt')
  const [params, setParams] = useState(asked.params ?? spell(examples['eth_getStorageAt'] ?? []))
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
      <Card title="Request">
        <Form sending={sending} action="Query and verify" onSend={send}>
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
  const isProved = shown.check.proved && shown.check.matchesReply
  return (
    <>
      <Card
        title="Answer"
        actions={
          <Badge tone={isProved ? 'good' : 'bad'}>{isProved ? 'Proved' : 'Not proved'}</Badge>
        }
      >
        <CodeBlock text={spell(result)} title="the answer" wrapped />
        {!intact && <Note tone="warn">This page has changed one bit of the proof.</Note>}
        <Verdict check={shown.check} />
        <Facts
          rows={[
            ['Block', <span class="mono">{trusted}</span>],
            ['Label of the server', answer.verified ?? 'none'],
            ['Response time', formatMs(answer.ms)],
            ['Steps', String(steps.length)],
          ]}
        />
        <div class="row">
          <button class="button" type="button" onClick={() => download(bundle)}>
            Download proof
          </button>
          <button
            class="button quiet"
            type="button"
            onClick={() => void (intact ? flipBit() : restore())}
          >
            {intact ? 'Change one bit' : 'Restore proof'}
          </button>
        </div>
        <CodeBlock
          text={`cairn verify bundle.json --block ${trusted}`}
          title="the command to verify offline"
          wrapped
        />
      </Card>
      <Card
        title="From the block to the value"
        about="Each node is valid if its hash appears in an earlier one. The first is the block header."
      >
        <StepList steps={steps} />
      </Card>
    </>
  )
}

/** The bundle with one bit changed in its last node, or in its header if it has no nodes. */
function damaged(bundle: ProofBundle): ProofBundle {
  const nodes = bundle.nodes.map((node, at) => (at === bundle.nodes.length - 1 ? flip(node) : node))
  const header = nodes.length === 0 ? flip(bundle.header ?? '0x00') : bundle.header
  return { ...bundle, nodes, header }
}

function Verdict({ check }: { readonly check: Check }) {
  if (!check.proved) return <Note tone="bad">{`Not proved: ${check.why}`}</Note>
  if (!check.matchesReply) {
    return <Note tone="bad">{`The proof leads to another answer: ${check.result}`}</Note>
  }
  return <Note tone="good">Proved in this browser: the steps below lead to the same answer.</Note>
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
