-- Titles of sections and of filters have translations, as those of tables and columns have. What is stored stays the title of who has none.

update docket.sys_db_column c set column_type_id = y.sys_id
from docket.sys_db_table t, docket.sys_db_column_type y
where t.sys_id = c.table_id and y.name = 'translated_text' and c.column_name = 'title' and t.name in ('sys_ui_form_section', 'sys_filter');
