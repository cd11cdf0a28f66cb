// Requests: the last requests of a key, live, next to the details of the selected one, which has its own URL. On a phone the
// details are a separate page.
// Tested by test/browser/inspector.test.ts
import { useState } from 'preact/hooks'
import { type Choices, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import type { KeyPlace } from '../app/as-key.ts'
import type { PageProps } from '../app/pages.ts'
import { usePlace } from '../app/router.tsx'
import { useMay } from '../app/use-may.ts'
import '../style/inspector.css'
import { PageHead } from '../ui/card.tsx'
import { State } from '../ui/badge.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Loading, Problem, Show } from '../ui/note.tsx'
import { noFilter, RequestFilters } from './inspector/filter-fields.tsx'
import { RequestDetail } from './inspector/request-detail.tsx'
import { RequestList } from './inspector/request-list.tsx'
import { RecordingOff, Switches } from './inspector/switches.tsx'
import { type Row, useRequests } from './inspector/use-requests.ts'

export function RequestsPage({ names }: PageProps) {
  const { query } = usePlace()
  const requestedKey = names['key'] ?? query.get('key')
  const choices = useChoices(requestedKey)
  return (
    <Show loaded={choices}>
      {(value) => <Chosen choices={value} names={names} requestedKey={requestedKey} />}
    </Show>
  )
}

function Chosen({
  choices,
  names,
  requestedKey,
}: {
  readonly choices: Choices
  readonly names: PageProps['names']
  readonly requestedKey: string | null
}) {
  const { go } = usePlace()
  const choice = useKeyChoice(choices, requestedKey)
  if (choice.place === null) {
    return (
      <>
        <PageHead title="Requests" />
        <NoKey title="No key to record requests of" />
      </>
    )
  }
  const id = Number(names['request'] ?? Number.NaN)
  return (
    <OfKey
      key={choice.place.key}
      place={choice.place}
      choices={choices}
      chosen={Number.isInteger(id) ? id : null}
      onKey={(key) => {
        choice.choose(key)
        go(`/requests?key=${key}`)
      }}
    />
  )
}

function OfKey(props: {
  readonly place: KeyPlace
  readonly choices: Choices
  /** ID of the shown request. */
  readonly chosen: number | null
  onKey(key: string): void
}) {
  const { place, choices, chosen, onKey } = props
  const { go } = usePlace()
  const mayChange = useMay('owner')
  const [filter, setFilter] = useState(noFilter)
  const [paused, setPaused] = useState(false)
  const [clearing, setClearing] = useState(false)
  const { switches, requests, error, isLive, again, clear } = useRequests(place, filter, paused)
  const show = (id: number | null): void =>
    go(id === null ? `/requests?key=${place.key}` : `/requests/${place.key}/${id}`, {
      replace: chosen !== null,
    })
  return (
    <>
      <PageHead
        title="Requests"
        actions={
          switches?.inspect === true && (
            <>
              <span role="status">
                <State tone={isLive ? 'good' : 'plain'}>
                  {paused ? 'Paused' : isLive ? 'Live' : 'Connecting'}
                </State>
              </span>
              <button class="button" type="button" onClick={() => setPaused(!paused)}>
                {paused ? 'Resume' : 'Pause'}
              </button>
            </>
          )
        }
      />
      <RequestFilters
        choices={choices}
        chosenKey={place.key}
        filter={filter}
        onFilter={setFilter}
        onKey={onKey}
      />
      {error !== null && <Problem error={error} again={again} />}
      {switches === null ? (
        error === null && <Loading />
      ) : switches.inspect ? (
        <section class={`card flush split${chosen === null ? '' : ' open'}`}>
          <RequestList
            requests={requests}
            isFiltered={Object.values(filter).some((value) => value !== '')}
            filteredBy={Object.values(filter).join('\n')}
            chosen={chosen}
            onChoose={show}
            onClearFilter={() => setFilter(noFilter)}
          />
          {chosen !== null && (
            <RequestDetail
              key={chosen}
              place={place}
              keyTitle={choices.keys.titleOf(place.key) ?? 'This key'}
              id={chosen}
              newer={neighbour(requests, chosen, -1)}
              older={neighbour(requests, chosen, 1)}
              onShow={show}
              onClose={() => show(null)}
            />
          )}
        </section>
      ) : (
        <RecordingOff place={place} mayChange={mayChange} onChanged={again} />
      )}
      {switches?.inspect === true && (
        <Switches
          place={place}
          switches={switches}
          onChanged={again}
          {...(mayChange ? { onClear: () => setClearing(true) } : {})}
        />
      )}
      {clearing && (
        <ConfirmDialog
          title="Clear the recorded requests?"
          action="Clear requests"
          keep="Keep requests"
          onConfirm={async () => clear()}
          onClose={() => setClearing(false)}
        >
          The list becomes empty for all members of this account. Recording goes on.
        </ConfirmDialog>
      )}
    </>
  )
}

/** ID of the request `step` rows below the selected one; null: there is none. */
function neighbour(requests: readonly Row[], chosen: number, step: -1 | 1): number | null {
  const at = requests.findIndex(({ id }) => id === chosen)
  return at === -1 ? null : (requests[at + step]?.id ?? null)
}
