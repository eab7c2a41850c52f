import { role_get } from '@hostwright/api/nouns/role';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { harmless, showFields } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const role = await connect(call).call(role_get, { params: { role: call.arg('role') } });
  const { out } = call;
  out.answer(role, () => {
    showFields(out, [
      ['role', `${role.name} (id ${role.id})${role.removed ? ', dropped by a later import' : ''}`],
      ['', role.description],
      ['barclamp', role.barclamp],
      ['jig', role.jig],
      ['lane', role.lane],
      ['flags', role.flags.join(' ')],
      ['requires', role.requires.join(' ')],
      ['after', role.after.join(' ')],
      ['wants', role.wants.join(' ')],
      ['provides', role.provides.join(' ')],
      ['conflicts', role.conflicts.join(' ')],
      ['deadline', `${role.deadlineSeconds} s`],
      [
        'retries',
        role.retryLimit === 0 ? 'none' : `${role.retryLimit}, ${role.retryBackoffSeconds} s apart`,
      ],
      ['noderoles', role.noderoles],
    ]);
    if (role.attribs.length === 0) return;
    out.line();
    out.table(
      [
        { title: 'ATTRIBUTE', cell: (attrib) => attrib.name },
        { title: 'PATH', cell: (attrib) => attrib.path },
        {
          title: 'DEFAULT',
          cell: (attrib) => (attrib.secret ? '[secret]' : harmless(attrib.default)),
        },
        { title: 'DESCRIPTION', cell: (attrib) => attrib.description },
      ],
      role.attribs,
      '',
    );
  });
};
