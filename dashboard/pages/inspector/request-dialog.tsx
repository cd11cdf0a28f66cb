// One request: its facts, its timeline, and its calls, which can be copied as code and run again.
import { useState } from 'preact/hooks'
import { call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { apiBasesOf, rpcPath } from '../../app/api-bases.ts'
import { formatBytes, formatMs, formatNumber, formatTime } from '../../app/format.ts'
import { useOwnKey } from '../../app/own-key.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { Badge, ProofBadge } from '../../ui/badge.tsx'
import { Facts } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Note, Show } from '../../ui/note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type CopyName, copyText, namesFor } from './copy-texts.ts'
import { Replay } from './replay.tsx'
import { nameOf, OutcomeBadge } from './request-list.tsx'
import { type Request, Waterfall } from './waterfall.tsx'

const path = 'GET /accounts/{account}/keys/{key}/requests/{request}'

export function RequestDialog({
  place,
  id,
  onClose,
}: {
  readonly place: KeyPlace
  readonly id: number
  onClose(): void
}) {
  const sent = { account: place.account, key: place.key, request: id }
  const loaded = useLoaded((signal) => call(path, sent, signal), [id])
  return (
    <Dialog
      look="wide"
      title={loaded.value === undefined ? 'Request' : nameOf(loaded.value)}
      onClose={onClose}
    >
      <Show loaded={loaded}>{(request) => <Details place={place} request={request} />}</Show>
      <DialogFoot onClose={onClose} />
    </Dialog>
  )
}

type Shown = { readonly place: KeyPlace; readonly request: Request }

function Details({ place, request }: Shown) {
  const [at, setAt] = useState(0)
  const { calls } = request
  return (
    <div class="stack">
      <Facts across rows={factsOf(request)} />
      <h3>Timeline</h3>
      <Waterfall request={request} />
      {calls.length > 1 && (
        <SelectField
          title="Call"
          value={String(at)}
          options={calls.map(({ method, outcome }, index) => ({
            value: String(index),
            title: `${index + 1}: ${method} (${outcome})`,
          }))}
          onValue={(value) => setAt(Number(value))}
        />
      )}
      {calls[at] !== undefined && <OneCall key={at} place={place} request={request} at={at} />}
    </div>
  )
}

function factsOf(request: Request): readonly (readonly [string, preact.ComponentChildren])[] {
  const { verified, head, block, upstreams, status, origin, userAgent, address } = request
  const rows: (readonly [string, preact.ComponentChildren] | null)[] = [
    ['Outcome', <OutcomeBadge key="outcome" row={request} />],
    ['Time', formatTime(request.time)],
    ['Took', formatMs(request.ms)],
    ['Units', formatNumber(request.units)],
    ['Request', formatBytes(request.bytesIn)],
    ['Response', formatBytes(request.bytesOut)],
    [
      'Transport',
      request.transport === 'http' ? `HTTP${status === null ? '' : ` ${status}`}` : 'WebSocket',
    ],
    verified === null ? null : ['Verification', <ProofBadge key="label" label={verified} />],
    block === null ? null : ['Block', formatNumber(Number(block.number))],
    head === null ? null : ['Head', head],
    upstreams.length === 0 ? null : ['Upstreams', upstreams.join(', ')],
    origin === null ? null : ['Origin', origin],
    userAgent === null ? null : ['User agent', userAgent],
    address === null ? null : ['Address', address],
  ]
  return rows.filter((row) => row !== null)
}

const views = [
  { name: 'call', title: 'Call' },
  { name: 'copy', title: 'Copy as code' },
  { name: 'again', title: 'Run again' },
] as const

function OneCall({ place, request, at }: Shown & { readonly at: number }) {
  const [view, setView] = useState<(typeof views)[number]['name']>('call')
  const one = request.calls[at]
  if (one === undefined) return null
  const { params } = one
  const isComplete = params.text !== null && !params.cut
  const offered = views.filter(({ name }) => name !== 'again' || request.face === 'rpc')
  return (
    <Tabs title="View of the call" tabs={offered} chosen={view} onChoose={setView}>
      {view === 'call' && (
        <div class="stack">
          <Body title="params" body={params} />
          {one.result !== null && (
            <Body title={one.outcome === 'ok' ? 'result' : 'error'} body={one.result} />
          )}
        </div>
      )}
      {view !== 'call' && !isComplete && (
        <Note>
          {params.text === null
            ? 'The params were not recorded. Turn on “Record params and results” for later calls.'
            : 'The params were too long to record in full.'}
        </Note>
      )}
      {view === 'copy' && isComplete && <Copies request={request} at={at} />}
      {view === 'again' && isComplete && <Replay place={place} request={request} at={at} />}
    </Tabs>
  )
}

function Body({
  title,
  body: { text, bytes, cut },
}: {
  readonly title: string
  readonly body: Request['calls'][number]['params']
}) {
  return (
    <div class="stack tight">
      <div class="row">
        <b>{title}</b>
        <span class="soft">{formatBytes(bytes)}</span>
        {cut && <Badge tone="warn">truncated</Badge>}
      </div>
      {text === null ? (
        <span class="soft">not recorded</span>
      ) : (
        <CodeBlock wrapped title={title} text={text} />
      )}
    </div>
  )
}

function Copies({ request, at }: { readonly request: Request; readonly at: number }) {
  const own = useOwnKey()
  const names = namesFor(request)
  const [name, setName] = useState<CopyName>('curl')
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  const bases = apiBasesOf(location, status.value?.facesPort ?? null)
  const one = request.calls[at]
  if (one === undefined || one.params.text === null) return null
  const copied = { face: request.face, method: one.method, params: one.params.text }
  const textFor = (key: string, secret: string): string =>
    copyText(name, copied, {
      rpcUrl: bases.base + rpcPath(request.network, key),
      base: bases.base,
      key,
      secret,
    })
  return (
    <Tabs
      title="Client"
      tabs={names.map((client) => ({ name: client, title: client }))}
      chosen={name}
      onChoose={setName}
    >
      <CodeBlock
        title={`${name} code`}
        text={textFor('<API_KEY>', '<API_KEY_SECRET>')}
        copied={textFor(own.key || '<API_KEY>', own.secret || '<API_KEY_SECRET>')}
      />
      <p class="soft">Copying fills in the key that you pasted on the Overview page.</p>
    </Tabs>
  )
}
