// A variable of a contract: one verdict on all its words, its value, the tree from the block to the words, and its slots.
// Tested by test/browser/slots.test.ts
import { formatCount } from '../app/format.ts'
import { Link } from '../app/router.tsx'
import { type ProofStep, proofStepsOf } from '../proof/proof-steps.ts'
import { StepList } from '../proof/step-list.tsx'
import { namesIn } from '../proof/step-parts.ts'
import { Verdict } from '../proof/verdict.tsx'
import { Card, Facts } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { Note } from '../ui/note.tsx'
import type { Found } from './read-slots.ts'

/** Maximum length of a value in one line; longer ones are shown as a block of text. */
const lineMax = 100
const rowsMax = 64

export type Answer = {
  readonly found: Found
  /** Address of the contract. */
  readonly address: string
  /** As entered: `balances[0xabc…]`. */
  readonly path: string
}

export function SlotAnswer({ found, address, path }: Answer) {
  const { value, type, block, words, steps, offset, cut } = found
  const number = BigInt(block.number).toLocaleString('en')
  const refused = words.find(({ why }) => why !== null)
  const tree = treeOf(found, address, refused !== undefined)
  return (
    <>
      <section class="card flush" aria-label="Answer">
        {words.length > 0 && (
          <Verdict
            isProved={refused === undefined}
            text={
              refused === undefined
                ? `All ${tree.length} hashes match, from the block to ${formatCount(words.length, 'word')}.`
                : `Slot ${refused.slot}: ${refused.why}.`
            }
          />
        )}
        <div class="card-body">
          <p class="soft">{`${path} (${type}) at block ${number}`}</p>
          <Value value={value} isRefused={refused !== undefined} />
          {cut && <Note tone="warn">The value is longer than one read. Its end is not shown.</Note>}
        </div>
        <StepList steps={tree} />
      </section>
      <Card title="Where it is stored">
        <Facts
          rows={[
            ...steps.map(
              ({ text, slot }) => [text, <span class="mono">{hex(slot)}</span>] as const,
            ),
            ...(offset === 0
              ? []
              : ([['Position in the slot', `byte ${offset} from the low end`]] as const)),
          ]}
        />
        {words.length > 0 && <Words found={found} address={address} />}
      </Card>
    </>
  )
}

function Value({ value, isRefused }: { readonly value: Found['value']; isRefused: boolean }) {
  if (value === null) return <Note>This is a mapping. Add a key, as in balances[0xabc…].</Note>
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  if (text.length > lineMax || typeof value === 'object') {
    return <CodeBlock text={text} title="the value" wrapped />
  }
  return (
    <div class="value-view">
      <output aria-label="the value">{isRefused ? <del>{text}</del> : text}</output>
    </div>
  )
}

function Words({ found, address }: { readonly found: Found; readonly address: string }) {
  const { words, block } = found
  return (
    <div class="table-wrap">
      <table>
        <thead>
          <tr>
            <th>Slot</th>
            <th>Word</th>
            <th>Proof</th>
          </tr>
        </thead>
        <tbody>
          {words.slice(0, rowsMax).map(({ slot, word }) => (
            <tr key={slot}>
              <td class="mono" data-title="Slot">
                {slot}
              </td>
              <td class="mono" data-title="Word">
                {word}
              </td>
              <td data-title="Proof">
                <Link to={proofOf(address, slot, block.number)}>Open</Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The proofs of all words as one tree, from their common block. */
function treeOf(
  { words, block }: Found,
  address: string,
  withUnused: boolean,
): readonly ProofStep[] {
  const bundles = words.flatMap(({ bundle }) => bundle ?? [])
  const first = bundles.find(({ header }) => header !== null)
  if (first === undefined) return []
  const nodes = [...new Set(bundles.flatMap((bundle) => bundle.nodes))]
  const reads = words.map(({ slot }) => ({ address, slot }))
  return proofStepsOf({ ...first, nodes }, block.hash, {
    names: namesIn([address], reads, !withUnused),
    hashLine: block.isOwnHash
      ? 'The block hash that you trust'
      : 'Its hash is from this server. Enter one above to use your own.',
    withUnused,
  })
}

function proofOf(address: string, slot: string, block: string): string {
  const params = JSON.stringify([address, slot, block])
  return `/proof?${new URLSearchParams({ method: 'eth_getStorageAt', params })}`
}

function hex(slot: bigint): string {
  return `0x${slot.toString(16).padStart(64, '0')}`
}
