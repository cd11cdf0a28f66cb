// Storage slots: reads a variable of a contract by its storage layout or ABI and shows its value, proved, and its slot.
// Tested by test/browser/slots.test.ts
import { useState } from 'preact/hooks'
import { ApiError } from '../app/api.ts'
import type { KeyPlace } from '../app/as-key.ts'
import {
  type Choices,
  KeyPick,
  NetworkPick,
  NoKey,
  useChoices,
  useKeyChoice,
} from '../app/choose-key.tsx'
import { type Example, findExample } from '../slots/examples.ts'
import { useLoaded } from '../app/use-loaded.ts'
import { LayoutField } from '../slots/layout-field.tsx'
import { readByAbi, readByLayout } from '../slots/read-slots.ts'
import { type Answer, SlotAnswer } from '../slots/slot-answer.tsx'
import type { Source } from '../slots/source.ts'
import '../style/proof.css'
import { Card, PageHead } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Show } from '../ui/note.tsx'

/** Maximum number of variables with a button. */
const namesMax = 60

export function SlotsPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead
        title="Storage slots"
        about="Read variables of a contract at any block. This browser proves every word."
      />
      <Show loaded={choices}>{(value) => <Chosen choices={value} />}</Show>
    </>
  )
}

function Chosen({ choices }: { readonly choices: Choices }) {
  const choice = useKeyChoice(choices)
  const { place } = choice
  if (place === null) {
    return <NoKey title="Reading slots needs an API key" />
  }
  return <Explorer choices={choices} choice={choice} place={place} />
}

function Explorer({
  choices,
  choice,
  place,
}: {
  readonly choices: Choices
  readonly choice: ReturnType<typeof useKeyChoice>
  readonly place: KeyPlace
}) {
  const [source, setSource] = useState<Source | null>(null)
  const [contract, setContract] = useState('')
  const [path, setPath] = useState('')
  const [block, setBlock] = useState('latest')
  const [answer, setAnswer] = useState<Answer | null>(null)
  const sending = useSending()
  const isEmbedded = choices.details.get(choice.network)?.embedded ?? false
  const variables = source?.kind === 'layout' ? source.layout.variables : []

  async function read(): Promise<void> {
    setAnswer(null)
    if (source === null) return
    const address = contract.trim()
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
      const text = address === '' ? 'Contract is empty' : `Contract is "${address}"`
      const expected = `${text}: expected 0x and 40 hex digits`
      throw new ApiError('bad_input', expected, 0, { field: 'contract' })
    }
    const at = { place, network: choice.network, address, block: block.trim() || 'latest' }
    const found =
      source.kind === 'layout'
        ? await readByLayout(at, source.layout, path)
        : await readByAbi(at, source.abi, path)
    setAnswer({ found, address, path })
  }

  return (
    <div class="stack">
      <Card>
        <Form
          sending={sending}
          action="Read slot"
          onSend={read}
          fields={['contract']}
          waits={source === null}
          toolbar={
            <>
              <NetworkPick choices={choices} choice={choice} />
              <KeyPick choices={choices} choice={choice} />
            </>
          }
        >
          <LayoutField
            source={source}
            onSource={setSource}
            beside={
              <ExampleButton
                place={place}
                network={choice.network}
                isEmbedded={isEmbedded}
                onExample={(example) => {
                  setSource(example.source)
                  setContract(example.contract)
                  setPath(example.path)
                }}
              />
            }
          />
          {source !== null && (
            <div class="ask-fields">
              <TextField
                title="Contract"
                value={contract}
                error={sending.of('contract')}
                onValue={setContract}
                placeholder="0x…"
                focused
              />
              <TextField
                title="Variable"
                hint="owner, balances[0xabc…], order.at.x, list[2], list.length"
                value={path}
                onValue={setPath}
              />
              <TextField
                title="Block"
                hint="latest, a number, or a hash from your own node"
                value={block}
                onValue={setBlock}
              />
            </div>
          )}
          {variables.length > 0 && (
            <div class="row" role="group" aria-label="Variables of the layout">
              {variables.slice(0, namesMax).map(({ label }) => (
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
        </Form>
      </Card>
      {answer !== null && <SlotAnswer {...answer} />}
    </div>
  )
}

/** Renders nothing if the network has no example. */
function ExampleButton({
  place,
  network,
  isEmbedded,
  onExample,
}: {
  readonly place: KeyPlace
  readonly network: string
  readonly isEmbedded: boolean
  onExample(example: Example): void
}) {
  const found = useLoaded(
    (signal) => findExample(place, network, isEmbedded, signal),
    [place.key, network],
  )
  const example = found.value ?? null
  if (example === null) return null
  return (
    <button class="button" type="button" onClick={() => onExample(example)}>
      Use an example
    </button>
  )
}
