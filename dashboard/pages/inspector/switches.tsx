// Recording of requests, per key: changed by owners, shown to members.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { useMay } from '../../app/use-may.ts'
import { Card } from '../../ui/card.tsx'
import { CheckField } from '../../ui/field.tsx'
import { useSending } from '../../ui/form.tsx'
import { Empty, Note, Problem } from '../../ui/note.tsx'
import type { InspectSwitches } from './use-requests.ts'

export function Switches({
  place,
  switches,
  onChanged,
  onClear,
}: {
  readonly place: KeyPlace
  readonly switches: InspectSwitches
  onChanged(): void
  onClear?(): void
}) {
  const mayChange = useMay('owner')
  const [error, setError] = useState<ApiError | null>(null)
  /** Values being saved, shown until the server reports the new state. */
  const [wanted, setWanted] = useState<Partial<InspectSwitches>>({})
  const isSaving = useRef(false)
  useEffect(() => {
    if (!isSaving.current) setWanted({})
  }, [switches])
  const set = async (settings: Partial<InspectSwitches>): Promise<void> => {
    isSaving.current = true
    setWanted(settings)
    setError(null)
    try {
      const sent = { account: place.account, key: place.key, settings }
      await call('PATCH /accounts/{account}/keys/{key}', sent)
    } catch (thrown) {
      setError(thrown as ApiError)
    }
    isSaving.current = false
    onChanged()
  }
  const { inspect, inspectBodies, inspectAddresses } = { ...switches, ...wanted }
  const disabled = !mayChange || Object.keys(wanted).length > 0
  return (
    <Card
      title="Recording"
      {...(onClear === undefined
        ? {}
        : {
            actions: (
              <button class="button small danger" type="button" onClick={onClear}>
                Clear requests…
              </button>
            ),
          })}
    >
      <div class="grid wide">
        <CheckField
          title="Record the last 200 requests of this key"
          hint="In memory only, without credentials. Turning it off deletes the record."
          value={inspect}
          disabled={disabled}
          onValue={(on) => void set({ inspect: on })}
        />
        <CheckField
          title="Record params and results"
          hint="Otherwise only their sizes. Required to copy a call and to run it again."
          value={inspectBodies}
          disabled={disabled || !inspect}
          onValue={(on) => void set({ inspectBodies: on })}
        />
        <CheckField
          title="Record client addresses"
          value={inspectAddresses}
          disabled={disabled || !inspect}
          onValue={(on) => void set({ inspectAddresses: on })}
        />
      </div>
      {error !== null && <Problem error={error} />}
      {!mayChange && <Note>Only owners can change this.</Note>}
    </Card>
  )
}

/** Shown instead of the list, for a key without recording. */
export function RecordingOff({
  place,
  mayChange,
  onChanged,
}: {
  readonly place: KeyPlace
  readonly mayChange: boolean
  onChanged(): void
}) {
  const sending = useSending()
  const turnOn = async (): Promise<void> => {
    const settings = { inspect: true }
    await call('PATCH /accounts/{account}/keys/{key}', {
      account: place.account,
      key: place.key,
      settings,
    })
    onChanged()
  }
  return (
    <Card>
      <Empty
        icon="inspector"
        title="Recording is off for this key"
        action={
          mayChange ? (
            <button
              class="button primary"
              type="button"
              disabled={sending.busy}
              onClick={() => void sending.run(turnOn)}
            >
              Turn on recording
            </button>
          ) : (
            <span class="soft">Only owners can turn it on.</span>
          )
        }
      >
        Turn it on to see its next 200 requests. They stay in memory, without credentials.
      </Empty>
      {sending.error !== null && <Problem error={sending.error} />}
    </Card>
  )
}
