import type { Deployment } from '@hostwright/api/nouns/deployment';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Trouble } from '../shell/failure.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { AddRoleDialog, RoleCards, useAddRole, useOfferedRoles } from './add-role-dialog.tsx';
import { BindDialog } from './bind-dialog.tsx';
import { CellDialog, type Cell } from './cell-dialog.tsx';
import { DragProvider } from './drag.tsx';
import { Machines } from './machines.tsx';
import { MatrixTable } from './matrix-table.tsx';
import { MatrixView } from './matrix.tsx';
import { useBind } from './proposal.ts';
import { useMatrix } from './use-matrix.ts';
import { SearchField } from '../ui/search-field.tsx';

/** No role yet: the roles themselves are what to drop on. */
const EmptyMatrix = ({
  deployment,
  mayEdit,
}: {
  readonly deployment: Deployment;
  readonly mayEdit: boolean;
}) => {
  const roles = useOfferedRoles();
  const add = useAddRole(deployment);
  return (
    <div className="scroll deploy-pad" tabIndex={-1}>
      <Empty icon="role" title="No roles here yet">
        {mayEdit
          ? 'Drag a machine from the right onto a role, or choose a role first. What it requires comes with it; nothing happens before you commit.'
          : 'An operator binds roles to nodes here.'}
      </Empty>
      {mayEdit ? <RoleCards roles={roles} onChoose={(role) => add.mutate(role)} /> : null}
    </div>
  );
};

export const MatrixTab = ({
  deployment,
  mayEdit,
}: {
  readonly deployment: Deployment;
  readonly mayEdit: boolean;
}) => {
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const [view, setView] = useState('matrix');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [adding, setAdding] = useState(false);
  const [binding, setBinding] = useState(false);
  const [cell, setCell] = useState<Cell>();
  const [machines, setMachines] = useState(true);
  const { matrix, error, onCells } = useMatrix(deployment, search);
  const bind = useBind(deployment);
  if (matrix === undefined)
    return (
      <div className="deploy-pad grow">
        {error === null ? <Skeleton /> : <Trouble error={error} />}
      </div>
    );
  const startBinding = () => {
    if (selected.size > 0) setBinding(true);
  };
  return (
    <DragProvider
      deployment={deployment.name}
      onDrop={(role, nodes) => bind.mutate({ role, nodes })}
    >
      <div className="stack grow matrix-pane">
        {matrix.columns.length === 0 ? (
          <EmptyMatrix deployment={deployment} mayEdit={mayEdit} />
        ) : (
          <>
            <div className="toolbar slim">
              <SearchField
                label="Search nodes of this deployment"
                placeholder="Search nodes"
                value={search}
                onChange={setSearch}
                small
              />
              <Segmented
                label="View"
                value={view}
                options={{ matrix: 'Matrix', table: 'Table' }}
                onChange={setView}
              />
              <span className="row end">
                {mayEdit && selected.size > 0 ? (
                  <button className="btn small" onClick={startBinding}>
                    Bind {selected.size} to… <kbd>B</kbd>
                  </button>
                ) : null}
                {mayEdit ? (
                  <>
                    <button className="btn small" onClick={() => setAdding(true)}>
                      <Icon name="plus" /> Add role
                    </button>
                    <button
                      className="btn small"
                      aria-pressed={machines}
                      onClick={() => setMachines(!machines)}
                    >
                      <Icon name="node" /> Machines
                    </button>
                  </>
                ) : null}
              </span>
            </div>
            {view === 'table' ? (
              <MatrixTable matrix={matrix} onOpenCell={setCell} />
            ) : (
              <MatrixView
                matrix={matrix}
                onCells={onCells}
                mayEdit={mayEdit}
                selected={selected}
                onSelect={setSelected}
                onOpenCell={setCell}
                onOpenNode={(node) => void navigate({ to: '/nodes/$node', params: { node } })}
                onBind={startBinding}
              />
            )}
          </>
        )}
      </div>
      {mayEdit && machines ? (
        <Machines selected={selected} onSelect={setSelected} onBind={startBinding} />
      ) : null}
      {adding ? (
        <AddRoleDialog
          deployment={deployment}
          have={new Set(matrix.columns.map((role) => role.name))}
          onClose={() => setAdding(false)}
        />
      ) : null}
      {binding ? (
        <BindDialog
          deployment={deployment}
          nodes={[...selected]}
          onClose={() => setBinding(false)}
          onBound={() => {
            setBinding(false);
            setSelected(new Set());
          }}
        />
      ) : null}
      {cell === undefined ? null : (
        <CellDialog
          deployment={deployment}
          cell={cell}
          mayEdit={mayEdit}
          onClose={() => setCell(undefined)}
        />
      )}
    </DragProvider>
  );
};
