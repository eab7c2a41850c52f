export const UsersPage = () => <div className="page">users</div>;
