// Proofs, verified in the browser step by step: from a block hash to a value, or from a CID to the bytes of a file.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { type Choices, KeyFields, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { usePlace } from '../app/router.tsx'
import { AnswerProof } from '../proof/answer-proof.tsx'
import { FileProof } from '../proof/file-proof.tsx'
import '../style/proof.css'
import { PageHead } from '../ui/card.tsx'
import { Show } from '../ui/note.tsx'
import { Tabs } from '../ui/tabs.tsx'

const views = [
  { name: 'answer', title: 'Chain answer' },
  { name: 'file', title: 'File' },
] as const

export function ProofPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead
        title="Proofs"
        about="Ask a question and check the answer yourself, hash by hash, in this browser."
      />
      <Show loaded={choices}>{(value) => <Views choices={value} />}</Show>
    </>
  )
}

function Views({ choices }: { readonly choices: Choices }) {
  const choice = useKeyChoice(choices)
  const asked = usePlace().query
  const [view, setView] = useState<'answer' | 'file'>(asked.has('cid') ? 'file' : 'answer')
  if (choice.place === null) {
    return <NoKey title="Proofs need an API key" />
  }
  return (
    <div class="stack">
      <Tabs title="Kind of proof" tabs={views} chosen={view} onChoose={(name) => setView(name)}>
        <div class="stack">
          <KeyFields choices={choices} choice={choice} withNetwork={view === 'answer'} />
          {view === 'answer' ? (
            <AnswerProof
              place={choice.place}
              network={choice.network}
              chainId={choices.chainIds.get(choice.network) ?? '0'}
              asked={{ method: asked.get('method'), params: asked.get('params') }}
            />
          ) : (
            <FileProof place={choice.place} asked={asked.get('cid')} />
          )}
        </div>
      </Tabs>
    </div>
  )
}
