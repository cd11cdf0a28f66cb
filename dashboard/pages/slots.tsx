// Storage slots: reads a variable of a contract by its storage layout or ABI and shows its slot and value, proved.
// Tested by test/browser/slots.test.ts
import { useState } from 'preact/hooks'
import { formatCount } from '../app/format.ts'
import {
  type Choices,
  KeyPick,
  NetworkPick,
  NoKey,
  useChoices,
  useKeyChoice,
} from '../app/choose-key.tsx'
import type { KeyPlace } from '../app/as-key.ts'
import { Link } from '../app/router.tsx'
import { readByAbi, readByLayout, type Found } from '../slots/read-slots.ts'
import { readSource, type Source } from '../slots/source.ts'
import '../style/proof.css'
import { Badge } from '../ui/badge.tsx'
import { Card, Facts, PageHead } from '../ui/card.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note, Show } from '../ui/note.tsx'

export function SlotsPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead
        title="Storage slots"
        about="Read variables of a contract at any block. This browser proves every word."
      />
      <Show loaded={choices}>{(value) => <Explorer choices={value} />}</Show>
    </>
  )
}

function Explorer({ choices }: { readonly choices: Choices }) {
  const choice = useKeyChoice(choices)
  const [source, setSource] = useState<Source | null>(null)
  if (choice.place === null) {
    return <NoKey title="Reading slots needs an API key" />
  }
  return (
    <div class="stack">
      <div class="toolbar">
        <NetworkPick choices={choices} choice={choice} />
        <KeyPick choices={choices} choice={choice} />
      </div>
      <SourceCard source={source} onSource={setSource} />
      {source !== null && (
        <VariableForm place={choice.place} network={choice.network} source={source} />
      )}
    </div>
  )
}

function SourceCard({
  source,
  onSource,
}: {
  readonly source: Source | null
  onSource(source: Source | null): void
}) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const take = (json: string): void => {
    setText(json)
    if (json.trim() === '') return onSource(null)
    try {
      onSource(readSource(json))
      setWrong(null)
    } catch (thrown) {
      onSource(null)
      setWrong(thrown instanceof Error ? thrown.message : String(thrown))
    }
  }
  return (
    <Card
      title="Contract layout"
      about="solc's storageLayout (solc --storage-layout, forge inspect <contract> storageLayout), an artifact of forge or hardhat with a layout, or an ABI. It stays in this browser."
    >
      <div
        class="stack tight"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          const file = event.dataTransfer?.files[0]
          if (file !== undefined) void file.text().then(take)
        }}
      >
        <div class="row">
          <label class="button">
            Choose file
            <input
              class="unseen"
              type="file"
              accept=".json,application/json"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0]
                if (file !== undefined) void file.text().then(take)
              }}
            />
          </label>
          <span class="soft">or drop a file here, or paste JSON below</span>
        </div>
        <AreaField title="JSON" value={text} onValue={take} error={wrong} rows={4} />
        {source !== null && (
          <Note tone="good">
            {source.kind === 'layout'
              ? `A storage layout with ${formatCount(source.layout.variables.length, 'variable')}.`
              : `An ABI with ${source.abi.length} entries. Values of one word with a getter can be read.`}
          </Note>
        )}
      </div>
    </Card>
  )
}

function VariableForm({
  place,
  network,
  source,
}: {
  readonly place: KeyPlace
  readonly network: string
  readonly source: Source
}) {
  const [address, setAddress] = useState('')
  const [path, setPath] = useState('')
  const [block, setBlock] = useState('latest')
  const [found, setFound] = useState<Found | null>(null)
  const sending = useSending()
  const variables = source.kind === 'layout' ? source.layout.variables : []
  const send = async (): Promise<void> => {
    setFound(null)
    if (!/^0x[0-9a-fA-F]{40}$/.test(address.trim())) {
      throw new Error('the contract must be an address: 0x and 40 hex digits')
    }
    const contract = { place, network, address: address.trim(), block: block.trim() || 'latest' }
    setFound(
      source.kind === 'layout'
        ? await readByLayout(contract, source.layout, path)
        : await readByAbi(contract, source.abi, path),
    )
  }
  return (
    <>
      <Card title="Variable">
        <Form sending={sending} action="Read slot" onSend={send}>
          <TextField title="Contract" value={address} onValue={setAddress} placeholder="0x…" />
          <TextField
            title="Variable"
            hint="owner, balances[0xabc…], order.at.x, list[2], list.length"
            value={path}
            onValue={setPath}
          />
          {variables.length > 0 && (
            <div class="row" role="group" aria-label="Variables of the layout">
              {variables.slice(0, 60).map(({ label }) => (
                <button
                  key={label}
                  class="button small"
                  type="button"
                  onClick={() => setPath(label)}
                >
                  {label}
                </button>
              ))}
            </div>
          )}
          <TextField
            title="Block"
            hint="latest, a number, or a hash"
            value={block}
            onValue={setBlock}
          />
        </Form>
      </Card>
      {found !== null && <Result found={found} address={address.trim()} />}
    </>
  )
}

function Result({ found, address }: { readonly found: Found; readonly address: string }) {
  const { value, type, block, words, steps, offset, cut } = found
  const isProved = words.every((word) => word.isProved)
  return (
    <Card
      title="Value"
      actions={<Badge tone={isProved ? 'good' : 'bad'}>{isProved ? 'Proved' : 'Not proved'}</Badge>}
    >
      <CodeBlock
        text={value === null ? 'a mapping: add a key, as in balances[0xabc…]' : spell(value)}
        title="the value"
        wrapped
      />
      {cut && <Note tone="warn">The value is longer than one read. Its end is not shown.</Note>}
      <Facts
        rows={[
          ['Type', type],
          ['Block', <span class="mono">{`${BigInt(block.number)} · ${block.hash}`}</span>],
          ...(offset === 0
            ? []
            : ([['Position in the slot', `byte ${offset} from the low end`]] as const)),
        ]}
      />
      <h3>Path to the slot</h3>
      <ol class="proof-steps">
        {steps.map(({ text, slot }) => (
          <li class="proof-step" key={text + slot}>
            <div class="step">
              <b class="mono">{text}</b>
              <span class="mono soft">{hex(slot)}</span>
            </div>
          </li>
        ))}
      </ol>
      {words.length > 0 && <h3>Words</h3>}
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
            {words.slice(0, 64).map(({ slot, word }) => (
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
    </Card>
  )
}

function proofOf(address: string, slot: string, block: string): string {
  const params = JSON.stringify([address, slot, block])
  return `/proof?${new URLSearchParams({ method: 'eth_getStorageAt', params })}`
}

function hex(slot: bigint): string {
  return `0x${slot.toString(16).padStart(64, '0')}`
}

function spell(value: Found['value']): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
