import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { measureWords } from 'sitewarden-client/standards';
import { measureReport } from '../api/changes/reports.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import { measureIn, StandardFields } from '../forms/standard-fields.tsx';
import { plural } from '../lib/formats.ts';
import { Button } from '../parts/button.tsx';
import { useToast } from '../parts/toast.tsx';
import { useReader, useReport } from './report-context.tsx';

/** The standard that the report is measured against, with a way to measure it against another one. */
export function MeasuredBy() {
  const { report } = useReport();
  const { mayChange } = useReader();
  const [isOpen, setOpen] = useState(false);
  if (report.perform_a11y_checks !== true) return null;
  const words = measureWords(report);
  const untested = report.untested_rules;
  return (
    <div>
      {words === '' ? 'No accessibility standard' : `Measured against ${words}`}{' '}
      {mayChange ? (
        <Button look="quiet" onClick={() => setOpen(true)}>
          Change standard
        </Button>
      ) : null}
      {untested.length === 0 ? null : (
        <div className="soft small">
          {plural(untested.length, 'rule')} of this standard did not run: {untested.join(', ')}. Run the site again with
          this standard to test {untested.length === 1 ? 'it' : 'them'}.
        </div>
      )}
      <StandardDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </div>
  );
}

function StandardDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { report } = useReport();
  const queries = useQueryClient();
  const say = useToast();
  const send = async (fields: FormData): Promise<void> => {
    const measure = measureIn(fields);
    await measureReport(report.id, measure);
    await queries.invalidateQueries();
    const words = measureWords(measure);
    say(words === '' ? 'All issues count now.' : `Now measured against ${words}.`);
  };
  return (
    <FormDialog
      title="Measure this report against another standard"
      action="Measure"
      isOpen={isOpen}
      onClose={onClose}
      submit={send}
    >
      {(errorOf) => (
        <>
          <p className="soft small">
            Counts the issues again, without checking the pages. Trends and comparisons with this report change, too.
            Running this report again uses the new standard. Other new reports of the site use the standard in its
            settings.
          </p>
          <StandardFields initial={report} errorOf={errorOf} />
        </>
      )}
    </FormDialog>
  );
}
