// Requests: the last requests of a key, live, each with its timeline.
// Tested by test/browser/inspector.test.ts
import { useState } from 'preact/hooks'
import { type Choices, KeyFields, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import type { KeyPlace } from '../app/as-key.ts'
import '../style/inspector.css'
import { Card, PageHead } from '../ui/card.tsx'
import { Loading, Problem, Show } from '../ui/note.tsx'
import { FilterFields, type RequestFilter } from './inspector/filter-fields.tsx'
import { RequestDialog } from './inspector/request-dialog.tsx'
import { RequestList } from './inspector/request-list.tsx'
import { Switches } from './inspector/switches.tsx'
import { useRequests } from './inspector/use-requests.ts'

export function InspectorPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead
        title="Requests"
        about="The last requests of a key with their outcome and timeline, in memory only and without credentials. Turn recording on per key."
      />
      <Show loaded={choices}>{(value) => <Inspector choices={value} />}</Show>
    </>
  )
}

function Inspector({ choices }: { readonly choices: Choices }) {
  const choice = useKeyChoice(choices)
  if (choice.place === null) {
    return <NoKey title="No API key to inspect" />
  }
  return (
    <div class="stack">
      <Card>
        <KeyFields choices={choices} choice={choice} withNetwork={false} />
      </Card>
      <OfKey key={choice.place.key} place={choice.place} networks={choices.networks} />
    </div>
  )
}

const noFilter: RequestFilter = { method: '', outcome: '', network: '', msMin: '' }

function OfKey({
  place,
  networks,
}: {
  readonly place: KeyPlace
  readonly networks: readonly string[]
}) {
  const [filter, setFilter] = useState(noFilter)
  const [paused, setPaused] = useState(false)
  const [chosen, setChosen] = useState<number | null>(null)
  const { switches, requests, error, isLive, again, clear } = useRequests(place, filter, paused)
  if (switches === null)
    return error === null ? <Loading /> : <Problem error={error} again={again} />
  return (
    <>
      <Switches place={place} switches={switches} onChanged={again} />
      {error !== null && <Problem error={error} again={again} />}
      {switches.inspect && (
        <>
          <Card>
            <FilterFields filter={filter} networks={networks} onFilter={setFilter} />
          </Card>
          <RequestList
            requests={requests}
            isFiltered={Object.values(filter).some((value) => value !== '')}
            isLive={isLive}
            paused={paused}
            onPause={() => setPaused(!paused)}
            onClear={clear}
            onChoose={setChosen}
          />
        </>
      )}
      {chosen !== null && (
        <RequestDialog place={place} id={chosen} onClose={() => setChosen(null)} />
      )}
    </>
  )
}
