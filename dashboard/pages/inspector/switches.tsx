// What a key keeps of its requests: switched by owners, shown to members.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { useMay } from '../../app/use-may.ts'
import { Card } from '../../ui/card.tsx'
import { CheckField } from '../../ui/field.tsx'
import { Note, Problem } from '../../ui/note.tsx'
import type { InspectSwitches } from './use-requests.ts'

export function Switches({
  place,
  switches,
  onChanged,
}: {
  readonly place: KeyPlace
  readonly switches: InspectSwitches
  onChanged(): void
}) {
  const mayChange = useMay('owner')
  const [error, setError] = useState<ApiError | null>(null)
  /** Shown until the server has said how it is, after it was told. */
  const [wanted, setWanted] = useState<Partial<InspectSwitches>>({})
  const isTelling = useRef(false)
  useEffect(() => {
    if (!isTelling.current) setWanted({})
  }, [switches])
  const set = async (settings: Partial<InspectSwitches>): Promise<void> => {
    isTelling.current = true
    setWanted(settings)
    setError(null)
    try {
      const sent = { account: place.account, key: place.key, settings }
      await call('PATCH /accounts/{account}/keys/{key}', sent)
    } catch (thrown) {
      setError(thrown as ApiError)
    }
    isTelling.current = false
    onChanged()
  }
  const { inspect, inspectBodies, inspectAddresses } = { ...switches, ...wanted }
  const disabled = !mayChange || Object.keys(wanted).length > 0
  return (
    <Card title="What is kept">
      <div class="grid wide">
        <CheckField
          title="The last requests of this key"
          hint="200 of them, in memory. Credentials are never among it. Switched off, what was kept goes."
          value={inspect}
          disabled={disabled}
          onValue={(on) => void set({ inspect: on })}
        />
        <CheckField
          title="With params and results"
          hint="Else their sizes alone. Needed to copy a call and to run it again."
          value={inspectBodies}
          disabled={disabled || !inspect}
          onValue={(on) => void set({ inspectBodies: on })}
        />
        <CheckField
          title="With the address each came from"
          value={inspectAddresses}
          disabled={disabled || !inspect}
          onValue={(on) => void set({ inspectAddresses: on })}
        />
      </div>
      {error !== null && <Problem error={error} />}
      {!mayChange && <Note>An owner of the account can change this.</Note>}
    </Card>
  )
}
