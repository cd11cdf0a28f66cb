// Setup of a new server in three steps, one open at a time: operator account, network, first API key. It ends with a call of the
// new key whose answer is shown as proved.
// Tested by test/browser/setup.test.ts
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { apiBasesOf } from '../app/api-bases.ts'
import { callRpc, type RpcAnswer } from '../app/as-key.ts'
import { formatMs, formatNumber } from '../app/format.ts'
import { useOwnKey } from '../app/own-key.tsx'
import { Link } from '../app/router.tsx'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import '../style/setup.css'
import { ProofBadge } from '../ui/badge.tsx'
import { PageHead } from '../ui/card.tsx'
import { SecretOnce } from '../ui/copy.tsx'
import { Icon } from '../ui/icons.tsx'
import { NameField } from '../ui/name-field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Note, Problem, Show } from '../ui/note.tsx'
import { NetworkForm } from './networks/network-form.tsx'
import { Snippets } from './start/snippets.tsx'

type Status = AdminReply<'GET /status'>

export function SetupPage() {
  const { person } = useSession()
  /** Null: not selected yet. */
  const [network, setNetwork] = useState<string | null>(null)
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  return (
    <div class="setup">
      <PageHead
        title="Set up your server"
        about="Three steps, about two minutes. You can change all of it later."
        actions={
          <Link to="/" class="button quiet">
            Go to overview
          </Link>
        }
      />
      <Step at={1} title="Operator account" state="done" about={`Signed in as ${person.email}`} />
      <Show loaded={status}>
        {(found) => (
          <>
            <Step
              at={2}
              title="Network"
              state={network === null ? 'now' : 'done'}
              about={network ?? ''}
            >
              {network === null && (
                <NetworkStep status={found} onChosen={setNetwork} onAdded={status.again} />
              )}
            </Step>
            <Step
              at={3}
              title="First API key"
              state={network === null ? 'next' : 'now'}
              about={network === null ? 'Next' : ''}
            >
              {network !== null && <KeyStep status={found} network={network} />}
            </Step>
          </>
        )}
      </Show>
    </div>
  )
}

function Step({
  at,
  title,
  state,
  about,
  children,
}: {
  readonly at: number
  readonly title: string
  readonly state: 'done' | 'now' | 'next'
  readonly about: string
  readonly children?: ComponentChildren
}) {
  return (
    <section class={`card setup-step ${state}`} aria-label={title}>
      <header>
        <h2 class="row">
          <span class="setup-number">
            {state === 'done' ? <Icon name="check" size={14} /> : at}
          </span>
          {title}
          {state === 'done' && <span class="unseen"> (done)</span>}
        </h2>
        <span class="soft">{about}</span>
      </header>
      {children}
    </section>
  )
}

function NetworkStep({
  status,
  onChosen,
  onAdded,
}: {
  readonly status: Status
  onChosen(network: string): void
  onAdded(): void
}) {
  const local = status.networks.find(({ embedded }) => embedded)
  const served = status.networks.filter(({ embedded }) => !embedded)
  const [choice, setChoice] = useState<'local' | 'nodes'>(
    local !== undefined && served.length === 0 ? 'local' : 'nodes',
  )
  const options = [
    {
      value: 'local' as const,
      title: 'Local dev chain',
      about: 'Built in, with funded test accounts.',
    },
    {
      value: 'nodes' as const,
      title: 'My nodes or provider',
      about: 'Cairn sits in front and checks every answer.',
    },
  ]
  return (
    <>
      <fieldset class="setup-choice">
        <legend class="unseen">Network</legend>
        {options
          .filter(({ value }) => value === 'nodes' || local !== undefined)
          .map(({ value, title, about }) => (
            <label key={value} class={value === choice ? 'on' : ''}>
              <input
                type="radio"
                name="network"
                checked={value === choice}
                onChange={() => setChoice(value)}
              />
              <span>
                <b>{title}</b>
                <small class="soft">{about}</small>
              </span>
            </label>
          ))}
      </fieldset>
      {choice === 'local' && local !== undefined && (
        <div class="row end">
          <button class="button primary" type="button" onClick={() => onChosen(local.name)}>
            Use the local chain
          </button>
        </div>
      )}
      {choice === 'nodes' &&
        served.map(({ name }) => (
          <button key={name} class="button" type="button" onClick={() => onChosen(name)}>
            Use {name}
          </button>
        ))}
      {choice === 'nodes' && (
        <NetworkForm
          network={null}
          onDone={(name) => {
            onAdded()
            onChosen(name)
          }}
          onClose={() => setChoice('local')}
        />
      )}
    </>
  )
}

type Created = AdminReply<'POST /accounts/{account}/keys'>

function KeyStep({ status, network }: { readonly status: Status; readonly network: string }) {
  const { id: account } = useAccount()
  const own = useOwnKey()
  const sending = useSending()
  const [name, setName] = useState('my app')
  const [created, setCreated] = useState<Created | null>(null)
  if (created === null) {
    return (
      <Form
        sending={sending}
        action="Create key"
        fields={['name']}
        onSend={async () => {
          const made = await call('POST /accounts/{account}/keys', { account, name: name.trim() })
          own.set({ key: made.apiKey, secret: made.apiKeySecret })
          setCreated(made)
        }}
      >
        <NameField hint="What the key is for." value={name} sending={sending} onValue={setName} />
      </Form>
    )
  }
  const others = status.networks.map((one) => one.name).filter((one) => one !== network)
  return (
    <>
      <SecretOnce
        rows={[
          { title: 'API key', text: created.apiKey },
          { title: 'Secret', text: created.apiKeySecret },
        ]}
      />
      <Snippets
        bases={apiBasesOf(location, status.facesPort)}
        networks={isDefault(status, network) ? [network, ...others] : [...others, network]}
      />
      <TestCall account={account} keyId={created.key.id} network={network} />
    </>
  )
}

function isDefault({ networks }: Status, name: string): boolean {
  return networks[0]?.name === name
}

function TestCall(props: {
  readonly account: string
  readonly keyId: string
  readonly network: string
}) {
  const { account, keyId, network } = props
  const sending = useSending()
  const [answer, setAnswer] = useState<RpcAnswer | null>(null)
  const send = async (): Promise<void> => {
    const place = { account, key: keyId }
    setAnswer(await callRpc(place, network, 'eth_getBlockByNumber', ['latest', false]))
  }
  return (
    <div class="stack" aria-live="polite">
      {sending.error !== null && <Problem error={sending.error} />}
      {answer !== null && <TestAnswer answer={answer} />}
      <div class="row end">
        <button
          class={`button${answer === null ? ' primary' : ''}`}
          type="button"
          disabled={sending.busy}
          onClick={() => void sending.run(send)}
        >
          Send a test call
        </button>
        {answer !== null && (
          <Link to="/" class="button primary">
            Go to overview
          </Link>
        )}
      </div>
    </div>
  )
}

function TestAnswer({ answer: { reply, verified, ms } }: { readonly answer: RpcAnswer }) {
  const { result, error } = reply
  if (error !== undefined) {
    return (
      <Note tone="bad">
        {error.message} <span class="mono soft">{error.code}</span>
      </Note>
    )
  }
  const block = (result as { number?: string } | null)?.number ?? '0x0'
  return (
    <Note tone="good">
      <p class="row">
        {verified !== null && <ProofBadge label={verified} />}
        {`Your key asked for the newest block: ${formatNumber(Number(block))}, in ${formatMs(ms)}.`}
      </p>
    </Note>
  )
}
