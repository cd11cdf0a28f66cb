// The request form of the Proofs page: network, method and key in one row, and the parameters of the method below, prefilled with
// values that exist on the network.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { ApiError } from '../app/api.ts'
import { callRpc, type KeyPlace } from '../app/as-key.ts'
import { type Choices, KeyPick, NetworkPick, type useKeyChoice } from '../app/choose-key.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { Card } from '../ui/card.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note } from '../ui/note.tsx'
import { Pick } from '../ui/toolbar.tsx'
import {
  exampleOf,
  exampleParams,
  type FieldName,
  fieldsOf,
  methods,
  type NewestBlock,
  paramsOf,
  parseParams,
  titleOf,
  type Values,
  valuesOf,
} from './questions.ts'

export type Question = {
  readonly method: string
  readonly params: readonly unknown[]
  /** The block hash that the person trusts, lower case; empty: none. */
  readonly trusted: string
}

/** From the URL of the page. `params`: JSON text. */
export type RequestedRead = { readonly method: string | null; readonly params: string | null }

export function AskForm({
  choices,
  choice,
  place,
  requested,
  onAsk,
}: {
  readonly choices: Choices
  readonly choice: ReturnType<typeof useKeyChoice>
  readonly place: KeyPlace
  readonly requested: RequestedRead
  onAsk(question: Question): Promise<void>
}) {
  const { network } = choice
  const [method, setMethod] = useState(requested.method ?? 'eth_getBalance')
  const [first] = useState(() => startOf(requested, method))
  /** Values that the person or the URL has entered; examples are used for the others. */
  const [entered, setEntered] = useState<Values>(first.values)
  /** Parameters entered as JSON; null: none. */
  const [text, setText] = useState<string | null>(first.text)
  const [asJson, setAsJson] = useState(first.text !== null)
  const [trusted, setTrusted] = useState('')
  const sending = useSending()
  const names = asJson ? null : fieldsOf(method)
  const lacks = names === null ? text === null : names.some((name) => entered[name] === undefined)
  const newest = useNewestBlock(place, network, lacks)
  const isEmbedded = choices.details.get(network)?.embedded ?? false
  const { block } = newest
  const values: Values = { ...(block !== null && exampleOf(method, block, isEmbedded)), ...entered }
  const json = text ?? (block === null ? '[]' : exampleParams(method, block, isEmbedded))
  const options = [...(methods.includes(method) ? [] : [method]), ...methods]
  const hasNoTransaction = names?.includes('hash') === true && values.hash === '' && block !== null

  function chooseMethod(name: string): void {
    sending.clear()
    setMethod(name)
    setText(null)
    setAsJson(false)
  }

  function switchToJson(): void {
    const written = writtenOf(method, values)
    sending.clear()
    setText(written)
    setAsJson(true)
  }

  function switchToFields(fitting: Values): void {
    sending.clear()
    setEntered(fitting)
    setText(null)
    setAsJson(false)
  }

  async function submit(): Promise<void> {
    const own = trusted.trim().toLowerCase()
    if (own !== '' && !/^0x[0-9a-f]{64}$/.test(own)) {
      const wrong = `"${own}" is not a block hash: expected 0x and 64 hex digits`
      throw new ApiError('bad_input', wrong, 0, { field: 'trusted' })
    }
    const params = names === null ? parseParams(json) : paramsOf(method, values, own)
    await onAsk({ method, params, trusted: own })
  }

  const fitting = asJson ? fit(method, json) : null
  return (
    <Card>
      <Form
        sending={sending}
        action="Ask and check"
        onSend={submit}
        fields={[...(names ?? ['params']), 'trusted']}
        waits={newest.isLoading}
        toolbar={
          <>
            <NetworkPick choices={choices} choice={choice} />
            <Pick
              title="Method"
              value={method}
              unset={method}
              options={options.map((name) => ({ value: name, title: name }))}
              onValue={chooseMethod}
            />
            <KeyPick choices={choices} choice={choice} />
          </>
        }
      >
        {names === null && (
          <AreaField
            title="Parameters"
            hint="A JSON array, as in the JSON-RPC request."
            value={json}
            error={sending.of('params')}
            onValue={setText}
          />
        )}
        <div class="ask-fields">
          {names?.map((name) => (
            <TextField
              key={name}
              title={titleOf(method, name)}
              value={values[name] ?? ''}
              error={sending.of(name)}
              placeholder={placeholders[name]}
              onValue={(value) => setEntered({ ...entered, [name]: value })}
            />
          ))}
          <TextField
            title="Block hash you trust (optional)"
            value={trusted}
            error={sending.of('trusted')}
            placeholder="0x… from your own node"
            onValue={setTrusted}
          />
        </div>
        {hasNoTransaction && (
          <Note>The newest block has no transactions. Enter the hash of an older one.</Note>
        )}
        {names !== null && (
          <button class="link" type="button" onClick={switchToJson}>
            Edit the parameters as JSON
          </button>
        )}
        {fitting !== null && (
          <button class="link" type="button" onClick={() => switchToFields(fitting)}>
            Edit the parameters in fields
          </button>
        )}
      </Form>
    </Card>
  )
}

const placeholders: Readonly<Record<FieldName, string>> = {
  to: '0x…',
  data: '0x',
  address: '0x…',
  slot: '0x0',
  block: 'latest',
  blockHash: '0x…',
  hash: '0x…',
  index: '0x0',
}

/** The initial values from the URL: fields, or JSON if no fields fit. */
function startOf(
  { params }: RequestedRead,
  method: string,
): { readonly values: Values; readonly text: string | null } {
  if (params === null) return { values: {}, text: null }
  const values = fit(method, params)
  return values === null ? { values: {}, text: params } : { values, text: null }
}

/** Converts JSON parameters to values of the fields; null: they do not fit. */
function fit(method: string, json: string): Values | null {
  try {
    return valuesOf(method, parseParams(json))
  } catch {
    return null
  }
}

/** JSON of the fields, or of the empty parameters if a value is invalid. */
function writtenOf(method: string, values: Values): string {
  try {
    return JSON.stringify(paramsOf(method, values))
  } catch {
    return '[]'
  }
}

/** The newest block of the network, for examples, if they are `wanted`. The form also works without it. */
function useNewestBlock(
  place: KeyPlace,
  network: string,
  wanted: boolean,
): { readonly block: NewestBlock | null; readonly isLoading: boolean } {
  const { value, error, busy } = useLoaded(
    async (signal) => {
      if (!wanted) return { network, wanted, block: null }
      const call = ['eth_getBlockByNumber', ['latest', false], { signal }] as const
      const { reply } = await callRpc(place, network, ...call)
      return { network, wanted, block: (reply.result ?? null) as NewestBlock | null }
    },
    [place.key, network, wanted],
  )
  const isOfNetwork = value?.network === network
  const isLoaded = isOfNetwork && value.wanted
  const hasFailed = error !== null && !busy
  return {
    block: isOfNetwork ? value.block : null,
    isLoading: wanted && !isLoaded && !hasFailed,
  }
}
